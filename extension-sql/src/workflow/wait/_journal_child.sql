create or replace function queue._journal_child(run_id bigint, "position" integer, wait jsonb)
returns boolean
language plpgsql
volatile
as $function$
begin
  insert into queue.workflow_step (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error
  )
  select _journal_child.run_id, c.started_at, coalesce(c.completed_at, c.started_at), _journal_child.position, 1,
    case when not c.is_detached then coalesce(queue._large_size(c.output), queue._large_size(c.error)) end, c.parent_step, 'invoke', case when c.is_detached then to_jsonb(c.run_id::text) else c.output end,
    case when not c.is_detached then c.error end
  from queue.workflow_run as c
  where c.parent_run_id = _journal_child.run_id
    and c.parent_step = wait ->> 'step'
    and (c.is_detached or c.status <> 'running');
  return found;
end
$function$;

comment on function queue._journal_child(bigint, integer, jsonb) is
$comment$Journals a step that invoked a run, if that run has ended or is detached.
Returns false if it is still running.
Touches: queue.workflow_step; reads queue.workflow_run.$comment$;
