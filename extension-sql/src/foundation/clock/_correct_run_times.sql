create or replace function queue._correct_run_times(
  moment    timestamptz,
  shown     timestamptz,
  lead      interval,
  floor     timestamptz,
  is_repeat boolean
)
returns void
language plpgsql
volatile
set jit = off
as $function$
declare
  v_patience constant interval := interval '1 minute';
begin
  with moved as materialized (
    select m.msg_id,
      case
        when m.receipt is not null and m.visible_at <= shown then moment + v_patience
        else greatest(m.visible_at - _correct_run_times.lead, moment)
      end as visible_at
    from queue.workflow_continuation as m
    where m.visible_at > greatest(moment, _correct_run_times.floor)
      and m.visible_at < 'infinity'
      and (m.headers ? 'paused') is not true
      -- A waiting suspect is invisible until its deadline.
      and (m.suspect_at < 'infinity') is not true
      and case
        when m.receipt is not null then m.visible_at > moment + v_patience
        else not is_repeat and m.visible_at <= shown
          or m.enqueued_at > moment
          -- A run that is received too early waits for its remaining time.
          or exists (
            select
            from jsonb_array_elements(coalesce(m.message -> 'waits', '[]') || coalesce(m.message -> 'retries', '[]')) as w (item)
            where (w.item ->> 'since')::timestamptz > moment
          )
      end
      -- A run that flow control holds back is invisible until it is admitted.
      and not exists (
        select
        from queue.workflow_admission as a
        where a.run_id = m.msg_id
          and a.state <> 'admitted'
      )
    for no key update of m skip locked
  )
  update queue.workflow_continuation as m
  set visible_at = moved.visible_at
  from moved
  where m.msg_id = moved.msg_id;

  update queue.workflow_continuation as m
  set suspect_at = greatest(m.suspect_at - _correct_run_times.lead, moment)
  where m.suspect_at > greatest(moment, _correct_run_times.floor)
    and m.suspect_at < 'infinity';

  update queue.workflow_admission as a
  set due_at = a.due_at - _correct_run_times.lead
  from queue.workflow_run as r
  where r.run_id = a.run_id
    and a.state = 'new'
    and a.due_at > greatest(moment, _correct_run_times.floor)
    and (not is_repeat and a.due_at <= shown or r.started_at > moment);

  update queue.workflow_gate as g
  set filled_at = greatest(g.filled_at - _correct_run_times.lead, moment),
    opens_at = moment
  where g.filled_at > moment;

  perform queue._wake(q.name)
  from (select 'queue_' || w.name as name from queue.queue as w where w.kind = 'workflow') as q;
end
$function$;

comment on function queue._correct_run_times(timestamptz, timestamptz, interval, timestamptz, boolean) is
$comment$Corrects the times of runs for _correct_clock_setback().
moment: what the clock shows.
shown: what it had shown.
lead: how far it was ahead.
floor: earlier times than this were not written by the wrong clock.
is_repeat: rows without any sign of the wrong clock were corrected before.
Touches: queue.workflow_continuation, rows with a time to come, except locked ones; queue.workflow_admission, queue.workflow_gate; as _wake().$comment$;
