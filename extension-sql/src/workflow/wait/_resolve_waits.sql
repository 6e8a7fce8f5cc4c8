create or replace function queue._resolve_waits(
  run_ids      bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns jsonb
language plpgsql
volatile
as $function$
declare
  v_item     record;
  v_answer   jsonb;
  v_resolved jsonb := jsonb_build_object();
begin
  -- One run after another, because a signal that one wait takes is gone for the next one. Only runs with a buffered
  -- signal, a wait past its deadline, or a wait that is already journaled (a repeated commit).
  for v_item in
    select i.item, i.run_id, i.result
    from unnest(run_ids, transitions, results, held) with ordinality
      as i (run_id, transition, result, held, item)
    where i.held
      and i.transition in ('keep', 'suspend')
      and (i.result -> 'waits' @> '[{"kind": "event"}]' or i.result -> 'waits' @> '[{"kind": "invoke"}]')
      and (
        i.result -> 'waits' @> '[{"expired": true}]'
        or exists (select from queue.workflow_buffered_signal as b where b.run_id = i.run_id)
        or i.result -> 'waits' @> '[{"kind": "invoke"}]' and exists (
          select
          from queue.workflow_run as c
          where c.parent_run_id = i.run_id
            and (c.status <> 'running' or c.is_detached)
        )
        or exists (
          select
          from jsonb_array_elements(i.result -> 'waits') as w
          join queue.workflow_step as s
            on s.run_id = i.run_id
            and s.step_name = w ->> 'step'
        )
      )
  loop
    v_answer := queue._resolve_run_waits(v_item.run_id, v_item.result, committed_at);
    if v_answer is not null then
      v_resolved := v_resolved || jsonb_build_object(v_item.item::text, v_answer);
    end if;
  end loop;
  return v_resolved;
end
$function$;

comment on function queue._resolve_waits(bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Resolves the waits of a commit: event waits take buffered signals or time out, and waits for invoked runs take their results.
Returns an object that maps the run's position in the commit to the result of _resolve_run_waits().
Touches: as _resolve_run_waits().$comment$;
