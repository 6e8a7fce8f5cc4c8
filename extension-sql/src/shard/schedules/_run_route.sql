create or replace function queue._run_route(name text)
returns text
language plpgsql
stable
as $function$
declare
  v_route constant text := queue._route_of(name);
begin
  if v_route like '%/%' or not queue._in_fleet() then
    return null;
  end if;
  return v_route;
end
$function$;

comment on function queue._run_route(text) is
$comment$Returns the route of the runs of a schedule: they are where the schedule is. Null in a standalone database, or if its name begins with a slash.
name: of the schedule.$comment$;
