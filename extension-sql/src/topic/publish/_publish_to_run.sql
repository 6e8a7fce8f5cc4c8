create or replace function queue._publish_to_run(run_id bigint, message jsonb, options jsonb[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- Not a signal yet: a signal locks the run, in an order that a publish cannot keep.
  insert into queue.workflow_inbox (run_id, event, payload)
  select _publish_to_run.run_id, o.options ->> 'event', message
  from unnest(_publish_to_run.options) as o (options);
  perform queue._wake_workflows(array[run_id]);
end
$function$;

comment on function queue._publish_to_run(bigint, jsonb, jsonb[]) is
$comment$Puts a message of a topic into the inbox of a run that waits for it.
options: of its subscriptions, one per waiting step.
Touches: queue.workflow_inbox; as _wake().$comment$;
