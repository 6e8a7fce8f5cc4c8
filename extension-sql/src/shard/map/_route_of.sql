create or replace function queue._route_of(name text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- As routeOf() of the SDK.
  select coalesce(nullif(split_part(name, '/', 1), ''), name)
$function$;

comment on function queue._route_of(text) is
$comment$Returns the route of a schedule or a message group, which its name or id begins with: what is before the first slash, else the whole name.$comment$;
