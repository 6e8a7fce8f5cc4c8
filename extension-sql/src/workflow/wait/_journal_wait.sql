create or replace function queue._journal_wait(
  run_id       bigint,
  "position"   integer,
  wait         jsonb,
  payload      jsonb,
  completed_at timestamptz,
  has_expired  boolean default false
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error)
  values (
    _journal_wait.run_id,
    coalesce((wait ->> 'since')::timestamptz, _journal_wait.completed_at),
    _journal_wait.completed_at,
    _journal_wait.position,
    (not has_expired)::integer,
    queue._large_size(payload),
    wait ->> 'step',
    case wait ->> 'kind' when 'invoke' then 'invoke' else 'wait' end,
    case wait ->> 'kind' when 'invoke' then payload -> 'output' else payload end,
    case wait ->> 'kind' when 'invoke' then payload -> 'error' end
  );
  if has_expired and wait ? 'approval' then
    update queue.approval as a
    set outcome = 'expired',
      ended_at = _journal_wait.completed_at
    where a.run_id = _journal_wait.run_id
      and a.step_name = wait ->> 'step'
      and a.ended_at is null;
  end if;
end
$function$;

comment on function queue._journal_wait(bigint, integer, jsonb, jsonb, timestamptz, boolean) is
$comment$Journals an event wait that has ended, or a wait for a run in another shard. A request for approval expires with its wait.
payload: of the signal; null if the wait timed out. Of a run in another shard: its end, {"output"} or {"error"}.
has_expired: the wait timed out.
Touches: queue.workflow_step, queue.approval.$comment$;
