create or replace function queue.home_of(route text)
returns text
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  perform queue._check_id(route, 'route');
  return (
    select s.name
    from queue._homes_of(array[home_of.route]) as h
    join queue.fleet_shard as s on s.shard = h.shard
  );
end
$function$;

comment on function queue.home_of(text) is
$comment$Returns the name of the shard where a route is at home: where its runs start. All runs of one route are in one shard.
route: a text for everything that belongs together, such as a tenant; 1 to 512 characters.
Returns null in a standalone database.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.fleet_shard; as _homes_of().$comment$;
