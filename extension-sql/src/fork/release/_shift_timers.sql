create or replace function queue._shift_timers(shift interval, after timestamptz)
returns bigint
language plpgsql
volatile
as $function$
declare
  -- Deadlines in continuations have whole milliseconds, and everything must shift together.
  v_shift   constant interval := date_trunc('milliseconds', shift);
  v_now     constant timestamptz := clock_timestamp();
  v_shifted bigint;
begin
  update queue.workflow_run as r
  set deadline = r.deadline + v_shift
  where r.status = 'running'
    and r.deadline > after;
  update queue.workflow_admission as a
  set due_at = a.due_at + v_shift
  where a.due_at > after
    and a.due_at < 'infinity';
  -- A used-up rate stays used up for the same time.
  update queue.workflow_gate as g
  set filled_at = case when g.filled_at > after then g.filled_at + v_shift else g.filled_at end,
    opens_at = case when g.opens_at > after then g.opens_at + v_shift else g.opens_at end
  where g.filled_at > after
    or g.opens_at > after;
  update queue.deduplication as d
  set expires_at = d.expires_at + v_shift
  where d.expires_at > after;
  update queue.subscription as s
  set failing_since = s.failing_since + v_shift
  where s.failing_since is not null;
  update queue.approval as a
  set expires_at = a.expires_at + v_shift
  where a.ended_at is null
    and a.expires_at > after;
  -- Ticks are planned again by _restart_schedules().
  perform queue._shift_messages(q.name, v_shift, after, v_now)
  from (
    select o.name
    from queue.queue as o
    where o.kind <> 'workflow'
      and o.name <> '__schedules'
    order by o.name
  ) as q;

  update queue.workflow_continuation as m
  set visible_at = case
      when m.visible_at > after and (m.receipt is null or m.headers ? 'paused') then m.visible_at + v_shift
      else m.visible_at
    end,
    headers = case
      when m.headers ? 'paused' then m.headers || jsonb_build_object('paused', jsonb_strip_nulls(jsonb_build_object(
          'until', (m.headers #>> '{paused,until}')::timestamptz
            + case when (m.headers #>> '{paused,until}')::timestamptz > after then v_shift else '0' end,
          'due', (m.headers #>> '{paused,due}')::timestamptz
            + case when (m.headers #>> '{paused,due}')::timestamptz > after then v_shift else '0' end
        )))
      else m.headers
    end,
    message = m.message || jsonb_strip_nulls(jsonb_build_object(
      'waits', queue._shift_deadlines(nullif(m.message -> 'waits', 'null'), after, v_shift),
      'retries', queue._shift_deadlines(nullif(m.message -> 'retries', 'null'), after, v_shift)
    ))
  where m.visible_at > after and m.visible_at < 'infinity'
    or m.headers ? 'paused'
    or m.receipt is not null;
  get diagnostics v_shifted = row_count;
  return v_shifted;
end
$function$;

comment on function queue._shift_timers(interval, timestamptz) is
$comment$Shifts all stored times to come: of runs, delayed messages, rates of flow control and deduplication ids. Retention counts from the end of a run or the time of a send, which do not change.
shift: by how much; fractions of a millisecond are dropped.
after: times up to then stay.
Returns how many continuations it looked at.
Touches: queue.workflow_continuation, which the caller has locked; queue.workflow_run, queue.workflow_admission, queue.workflow_gate, queue.deduplication, queue.subscription, queue.approval; as _shift_messages() for each queue but __schedules.$comment$;
