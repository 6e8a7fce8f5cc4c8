create or replace function queue._pause_timed_runs(after timestamptz)
returns bigint
language plpgsql
volatile
as $function$
begin
  return (
    select count(*)
    from (
      select m.msg_id
      from queue.workflow_continuation as m
      where m.receipt is null
        and (
          m.visible_at > after and m.visible_at < 'infinity'
          -- Delayed starts that will wait for admission aren't visible before.
          or exists (
            select
            from queue.workflow_admission as a
            where a.run_id = m.msg_id
              and a.state = 'new'
              and not a.is_over
              and a.due_at > after
          )
        )
      order by m.msg_id
      offset 0
    ) as timed
    where queue._pause_run(timed.msg_id, 'its timer is on hold since the copy')
  );
end
$function$;

comment on function queue._pause_timed_runs(timestamptz) is
$comment$Pauses runs that would resume at some time.
after: runs that were due by then are not paused.
Returns how many it paused.
Touches: as workflow_pause().$comment$;
