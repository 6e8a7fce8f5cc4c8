create or replace function queue._pause_failing_definitions(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_paused text[];
begin
  with failing as materialized (
    select d.definition_id, d.name, d.pause_after_failures
    from queue.definition as d
    where d.name in (
        select r.workflow_name
        from queue.workflow_run as r
        where r.run_id = any (run_ids)
          and r.status = 'failed'
          and r.is_test is null
          and r.is_item is null
      )
      and d.pause_after_failures is not null
      and d.paused_at is null
      and d.published_version is not null
      and d.pause_after_failures = (
        select count(*) filter (where last.status = 'failed')
        from (
          select newest.status
          from (
            select r.status, r.is_test, r.is_item
            from queue.workflow_run as r
            where r.workflow_name = d.name
              and r.completed_at is not null
            order by r.started_at desc, r.run_id desc
            -- Loops may have ended thousands of items since.
            limit 10000
          ) as newest
          where newest.is_test is null
            and newest.is_item is null
          limit d.pause_after_failures
        ) as last
      )
    order by d.definition_id
    -- One that is being changed is judged at its next failure.
    for no key update of d skip locked
  ),
  paused as (
    update queue.definition as d
    set paused_at = clock_timestamp(),
      pause_reason = format('%s runs in a row have failed', failing.pause_after_failures)
    from failing
    where d.definition_id = failing.definition_id
    returning d.name
  )
  select array_agg(paused.name) into v_paused from paused;
  if v_paused is not null then
    perform queue._advance_unlocked_epoch();
    perform queue._record_action('definition.pause', 'definition', v_paused,
      jsonb_build_object('reason', 'runs in a row have failed'));
  end if;
end
$function$;

comment on function queue._pause_failing_definitions(bigint[]) is
$comment$Pauses definitions whose last runs have all failed, as many as their settings name in pauseAfterFailures. Test runs and items of loops don't count; only the 10,000 newest ended runs are looked at, items included. It waits for no publish.
run_ids: that have just ended.
Touches: queue.definition and queue.definition_setting (SKIP LOCKED), queue.audit; reads queue.workflow_run by its index of ended runs.$comment$;
