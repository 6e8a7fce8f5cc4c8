create or replace function queue._route_slot(route text)
returns integer
language plpgsql
immutable
parallel safe
as $function$
begin
  -- As slotOf() of the SDK.
  return (('x' || left(md5(convert_to(route, 'UTF8')), 8))::bit(32)::bigint & 1023)::integer;
end
$function$;

comment on function queue._route_slot(text) is
$comment$Returns the slot of a route, 0 to 1023: the lowest ten of the first 32 bits of the MD5 of its UTF-8.$comment$;
