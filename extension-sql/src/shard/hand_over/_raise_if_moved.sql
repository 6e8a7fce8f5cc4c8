create or replace function queue._raise_if_moved(run_id bigint)
returns void
language plpgsql
stable
as $function$
declare
  v_shard text;
begin
  select s.name into v_shard
  from queue.fleet_shard as s
  where s.shard = queue._moved_to(run_id);
  if found then
    perform queue._raise('OX029', format('run %s has moved to shard "%s"', run_id, v_shard),
      jsonb_build_object('shard', v_shard)::text, 'Call it there, or through a client of the fleet, which follows it.');
  end if;
end
$function$;

comment on function queue._raise_if_moved(bigint) is
$comment$Requires that a run has not moved from here to another shard. Call it for runs that are not here, or not any more.
Errors: OX029 it has.
Touches: nothing; reads queue.elsewhere, queue.fleet_shard.$comment$;
