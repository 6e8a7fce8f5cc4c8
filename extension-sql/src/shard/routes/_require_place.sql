create or replace function queue._require_place(kind text, name text)
returns void
language plpgsql
volatile
as $function$
declare
  v_route constant text := queue._route_of(name);
  v_away  record;
begin
  if not queue._lock_homes(array[v_route]) then
    return;
  end if;
  select h.shard, h.epoch into v_away
  from queue._home_of(v_route) as h
  join queue.fleet as f on f.shard <> h.shard;
  if found then
    perform queue._raise_away(
      format('%s "%s" is at home', kind, left(name, 140)), v_away.shard, v_away.epoch,
      'Call it there, or by a client of the fleet.'
    );
  end if;
end
$function$;

comment on function queue._require_place(text, text) is
$comment$Requires that what has a name is at home in this shard, by the route that the name begins with, and keeps it there until the transaction ends.
kind: what it is, for the error.
Errors: OX028 it is at home in another shard, with the version of the map since which it is.
Touches: as _lock_homes(); reads queue.fleet, queue.fleet_shard; as _home_of(). Nothing in a standalone database.$comment$;
