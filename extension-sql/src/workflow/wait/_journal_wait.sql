create or replace function queue._journal_wait(
  run_id       bigint,
  "position"   integer,
  wait         jsonb,
  payload      jsonb,
  completed_at timestamptz
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error)
  values (
    _journal_wait.run_id,
    least((wait ->> 'since')::timestamptz, _journal_wait.completed_at),
    _journal_wait.completed_at,
    _journal_wait.position,
    1,
    queue._large_size(payload),
    wait ->> 'step',
    case wait ->> 'kind' when 'invoke' then 'invoke' else 'wait' end,
    case wait ->> 'kind' when 'invoke' then payload -> 'output' else payload end,
    case wait ->> 'kind' when 'invoke' then payload -> 'error' end
  );
end
$function$;

comment on function queue._journal_wait(bigint, integer, jsonb, jsonb, timestamptz) is
$comment$Journals an event wait that a signal has ended, or a wait for a run in another shard.
payload: of the signal. Of a run in another shard: its end, {"output"} or {"error"}.
Touches: queue.workflow_step.$comment$;
