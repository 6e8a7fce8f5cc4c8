create or replace function queue._starters(run_id bigint)
returns text[]
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select array_agg(s.started_by order by s.started_by)
    from queue.workflow_starter as s
    where s.run_id = _starters.run_id
  );
end
$function$;

comment on function queue._starters(bigint) is
$comment$Returns the people who started a run, the runs that invoked it, and the runs that it repeats, as far as that is known.
Returns null if it is not.
Touches: nothing; reads queue.workflow_starter.$comment$;
