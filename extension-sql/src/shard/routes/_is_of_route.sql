create or replace function queue._is_of_route(route text, key text, wanted text, slots integer[])
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when wanted is not null then
      case when route is not null then route = wanted else key = wanted or starts_with(key, wanted || '/') end
    when route is not null then queue._route_slot(route) = any (slots)
    else queue._route_slot(key) = any (slots) or queue._route_slot(split_part(key, '/', 1)) = any (slots)
  end
$function$;

comment on function queue._is_of_route(text, text, text, integer[]) is
$comment$Returns whether a run is of a route, or of one of some slots.
route, key: of the run. Without a route, as runs that were started before routes were kept, its key may be its route, or begin with it.
wanted: the route; null for those of the slots.
Returns true or false; null for a run with neither route nor key.$comment$;
