create or replace function queue._step_cause(run_id bigint, step text)
returns text
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select format('%s.%s.%s/%s', r.run_id, coalesce(r.generation, 1), coalesce(r.rewound, 0), step)
    from queue.workflow_run as r
    where r.run_id = _step_cause.run_id
  );
end
$function$;

comment on function queue._step_cause(bigint, text) is
$comment$Returns the cause of an item that a step sends. It is the same if the step is repeated because a crash has lost its commit, and another one if it is repeated by a retry, or in the next generation.
Touches: nothing; reads queue.workflow_run.$comment$;
