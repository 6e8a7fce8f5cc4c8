create or replace function queue._shift_timers(shift interval, after timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  -- Deadlines in continuations are in whole milliseconds, and go together with the rest.
  v_shift   constant interval := date_trunc('milliseconds', shift);
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
$comment$Puts off all that is to happen to runs at some time.
shift: by how much; milliseconds count. after: what was due by then is left alone.
Returns how many continuations it looked at.
Touches: continuations, which the caller has locked; queue.workflow_run, queue.workflow_admission.$comment$;
