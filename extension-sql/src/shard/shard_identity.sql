create or replace function queue.shard_identity(routes text[] default '{}')
returns queue.shard_identity
language plpgsql
stable
security definer
as $function$
declare
  v_identity queue.shard_identity;
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  select f.fleet_id, s.name, '@latest_state@',
    array(
      select n.name
      from unnest(routes) with ordinality as r (route, position)
      left join queue._homes_of(routes) as h on h.route = r.route
      left join queue.fleet_shard as n on n.shard = h.shard
      order by r.position
    )
  into v_identity
  from queue.fleet as f
  join queue.fleet_shard as s on s.shard = f.shard;
  return v_identity;
end
$function$;

comment on function queue.shard_identity(text[]) is
$comment$Returns which shard this database is, and where routes are at home by its copy of the map: the part of fleet_map() that a start in a transaction needs, whatever the number of pins.
routes: texts, or null.
Returns nulls in a standalone database.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.fleet, queue.fleet_shard; as _homes_of().$comment$;
