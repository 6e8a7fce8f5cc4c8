create or replace function queue._journal_child_elsewhere(
  run_id       bigint,
  "position"   integer,
  wait         jsonb,
  completed_at timestamptz
)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_end jsonb;
begin
  delete from queue.workflow_buffered_signal as b
  using queue.workflow_run as r
  where b.run_id = _journal_child_elsewhere.run_id
    and r.run_id = b.run_id
    and b.event = queue._child_event(coalesce(r.generation, 1), wait ->> 'step')
  returning b.payload into v_end;
  if not found then
    return false;
  end if;
  perform queue._journal_wait(run_id, "position", wait, v_end, completed_at);
  return true;
end
$function$;

comment on function queue._journal_child_elsewhere(bigint, integer, jsonb, timestamptz) is
$comment$Journals a step that invoked a run in another shard, if the end of that run has arrived.
Returns false if it has not.
Touches: queue.workflow_buffered_signal, queue.workflow_step; reads queue.workflow_run.$comment$;
