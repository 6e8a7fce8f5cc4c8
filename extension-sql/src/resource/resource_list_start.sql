create or replace function queue.resource_list_start(type text, input jsonb)
returns bigint
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  v_name      constant text := queue._listing_workflow(type);
  v_place     queue.run_place;
  v_listed_at timestamptz;
  v_run       bigint;
begin
  perform queue._ensure_migrated();
  select t.listed_at into v_listed_at
  from queue.resource_type as t
  where t.name = resource_list_start.type;
  if v_listed_at > v_now - interval '20 minutes' is not true then
    perform queue._raise('OX004',
      format('resources of type "%s" can''t be listed: %s', left(type, 260), case
        when not found then 'no worker has registered the type'
        when v_listed_at is null then 'its workers have no `list`'
        else 'no worker that lists them has been seen for 20 minutes'
      end), null,
      'Give `defineResource` a `list`, and start a worker with it.');
  end if;
  v_place := queue._run_place(v_name);
  if v_place.queue_id is null then
    perform queue._create_workflow_queue(v_name);
    v_place := queue._run_place(v_name);
  end if;
  -- Not by workflow_start_batch(), which refuses the name. An hour is for a caller that dies before it cancels the run.
  v_run := queue._insert_run(v_name, 1, input, v_now, v_now + interval '1 hour', 0);
  perform queue._insert_continuation(v_place, v_run, 1, v_now);
  perform queue._wake(queue._worker_channel(v_name));
  return v_run;
end
$function$;

comment on function queue.resource_list_start(text, jsonb) is
$comment$Starts a run that lists resources of a type, in the caller's transaction: a worker that knows the type calls the list of the application. Nothing else starts such runs. Lists and counts of runs leave them out unless their filter names the workflow, and a sweep deletes them.
input: {"type", "text", "after", "limit", "scope"}, encoded if the workers have a codec. scope is that of a definition, and decides whose resources are listed.
Returns the run. Its output is {"resources": [{"id", "title"}], "next"}, or {"failure"} with the reason. It fails after an hour without a worker.
Errors: OX004 no worker lists the type.
Touches: queue.workflow_run, queue.workflow_continuation; reads queue.resource_type; NOTIFY only if a worker listens.$comment$;
