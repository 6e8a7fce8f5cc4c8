create or replace function queue._is_pinned(route text, key text)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
  select exists (
    select
    from queue.fleet_pin as p
    where p.route = any (case
      when _is_pinned.route is not null then array[_is_pinned.route]
      else array[key, split_part(key, '/', 1)]
    end)
  )
$function$;

comment on function queue._is_pinned(text, text) is
$comment$Returns whether a run is of a pinned route, which precedes its slot.
route, key: of the run, as in _is_of_route().
Touches: nothing; reads queue.fleet_pin.$comment$;
