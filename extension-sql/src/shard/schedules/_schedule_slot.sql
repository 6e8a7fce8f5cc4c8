create or replace function queue._schedule_slot(name text)
returns smallint
language plpgsql
stable
as $function$
begin
  if starts_with(name, 'definition:') or not queue._in_fleet() then
    return null;
  end if;
  return queue._route_slot(queue._route_of(name))::smallint;
end
$function$;

comment on function queue._schedule_slot(text) is
$comment$Returns the slot of the route of a schedule, with whose home it moves; null if it stays, since the database is standalone, or it belongs to a definition.
name: of the schedule.$comment$;
