create or replace function queue._has_rolled_back(run_id bigint)
returns boolean
language plpgsql
stable
as $function$
begin
  return exists (
    select
    from queue.workflow_step as s
    where s.run_id = _has_rolled_back.run_id
      and s.kind = 'rollback'
  );
end
$function$;

comment on function queue._has_rolled_back(bigint) is
$comment$Returns whether a run has rolled back some of its steps, after which it cannot continue from its journal.
Returns true if its journal has a row of kind rollback.
Touches: nothing; reads queue.workflow_step.$comment$;
