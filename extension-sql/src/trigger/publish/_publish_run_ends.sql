create or replace function queue._publish_run_ends(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_run           record;
  v_topic         text;
  v_subscriptions bigint[];
  v_ends          integer;
begin
  -- "/" is the next character after ".", and "+" after "*". Patterns that begin with a wildcard don't match the topic.
  if not exists (select from queue.subscription as s where s.pattern >= 'oxbow.run.' and s.pattern < 'oxbow.run/')
    and not exists (select from queue.subscription as s where s.pattern >= 'oxbow.#' and s.pattern < 'oxbow.+')
  then
    return;
  end if;

  for v_run in
    select r.run_id, r.workflow_name, r.status::text as status,
      coalesce(d.scope, '{}') || jsonb_strip_nulls(jsonb_build_object(
        'run_id', r.run_id::text, 'workflow', r.workflow_name, 'version', r.workflow_version, 'status', r.status,
        'started_at', r.started_at, 'completed_at', r.completed_at, 'tags', r.tags
      )) || jsonb_build_object('output', r.output, 'error', r.error) as message
    from queue.workflow_run as r
    left join queue.definition as d on d.name = r.workflow_name
    where r.run_id = any (run_ids)
      and r.completed_at is not null
      and r.is_test is null
      and r.is_item is null
    order by r.run_id
  loop
    v_topic := format('oxbow.run.%s.%s', v_run.workflow_name, v_run.status);
    v_subscriptions := queue._subscriptions_for(v_topic, v_run.message);
    continue when v_subscriptions = '{}';
    -- Triggers that start each other in a circle are stopped by their depth, and those on all ends by the first end.
    perform set_config('oxbow.publishing_run', v_run.run_id::text, true);
    v_ends := (queue._publishing_depth()).ends;
    if v_ends > 0 then
      v_subscriptions := array(
        select s.subscription_id
        from queue.subscription as s
        where s.subscription_id = any (v_subscriptions)
          and not (s.target_type = 'definition' and queue._multiplies(s.pattern, v_topic, v_ends))
        order by s.subscription_id
      );
    end if;
    if v_subscriptions <> '{}' then
      perform queue._publish(v_topic, v_run.message, null, v_subscriptions);
    end if;
    perform set_config('oxbow.publishing_run', '', true);
  end loop;
end
$function$;

comment on function queue._publish_run_ends(bigint[]) is
$comment$Publishes the ends of runs to the topic oxbow.run.<workflow>.<status>, in the transaction that ends them, if there are subscriptions that may want them. The message of a run of a definition has the members of its scope, so that triggers see only the runs of their own scope.
If the end of another run led to a run, its own is not for triggers on the ends of all workflows.
run_ids: runs that have not ended, test runs and items of loops are skipped.
Touches: as send_topic(); reads queue.workflow_run, queue.triggered_run, queue.definition; the transaction's setting oxbow.publishing_run.$comment$;
