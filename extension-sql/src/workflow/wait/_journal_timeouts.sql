create or replace function queue._journal_timeouts(
  run_id       bigint,
  journaled    integer,
  waits        jsonb,
  ended        text[],
  completed_at timestamptz
)
returns text[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_steps text[];
begin
  with timed_out as (
    insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, step_name, kind)
    select _journal_timeouts.run_id, least((e.w ->> 'since')::timestamptz, _journal_timeouts.completed_at),
      _journal_timeouts.completed_at, journaled + row_number() over (order by e.w ->> 'until' collate "C", e.n), 0,
      e.w ->> 'step', 'wait'
    from jsonb_array_elements(waits) with ordinality as e (w, n)
    where e.w @> '{"kind": "event", "expired": true}'
      and e.w ->> 'step' not in (select x.step from unnest(ended) as x (step))
    returning step_name
  )
  select coalesce(array_agg(t.step_name), '{}') into v_steps
  from timed_out as t;

  update queue.approval as a
  set outcome = 'expired',
    ended_at = _journal_timeouts.completed_at
  where a.run_id = _journal_timeouts.run_id
    and a.step_name = any (v_steps)
    and a.ended_at is null;
  return v_steps;
end
$function$;

comment on function queue._journal_timeouts(bigint, integer, jsonb, text[], timestamptz) is
$comment$Journals the event waits that have timed out, in the order of their deadlines. A request for approval expires with its wait.
journaled: rows of the journal.
ended: steps of waits that have ended otherwise.
Returns the steps.
Touches: queue.workflow_step, queue.approval.$comment$;
