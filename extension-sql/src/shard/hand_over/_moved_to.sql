create or replace function queue._moved_to(run_id bigint)
returns smallint
language plpgsql
stable
-- plans: index
as $function$
begin
  if not queue._in_fleet() then
    return null;
  end if;
  return (select e.shard from queue.elsewhere as e where e.run_id = _moved_to.run_id);
end
$function$;

comment on function queue._moved_to(bigint) is
$comment$Returns the number of the shard that a run has moved to from here; null if it has not.
Touches: nothing; reads queue.elsewhere.$comment$;
