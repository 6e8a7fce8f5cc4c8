create or replace function queue._pending_steps(run_id bigint, message jsonb)
returns jsonb
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select coalesce(jsonb_agg(p.step order by p.step collate "C"), '[]')
    from (
      select distinct e.entry ->> 'step' as step
      from unnest(array['waits', 'retries']) as k (key)
      cross join jsonb_array_elements(
        case jsonb_typeof(message -> k.key) when 'array' then message -> k.key else '[]' end
      ) as e (entry)
    ) as p
    where not exists (
      select
      from queue.workflow_step as s
      where s.run_id = _pending_steps.run_id
        and s.step_name = p.step
    )
  );
end
$function$;

comment on function queue._pending_steps(bigint, jsonb) is
$comment$Lists the steps that a run waits for or will call again.
message: of its continuation.
Returns a JSON array of their names, each once, sorted by their bytes.
Touches: nothing; reads queue.workflow_step.$comment$;
