create or replace function queue._slot_lock_key(slot integer)
returns bigint
language plpgsql
immutable
parallel safe
as $function$
begin
  -- A batch of many routes must not fill the table of locks.
  return hashtextextended(format('oxbow:slot:%s', slot & 63), 0);
end
$function$;

comment on function queue._slot_lock_key(integer) is
$comment$Returns the key of the advisory lock that starts with a route share, and that a change of the route's home takes exclusively. 16 slots have one.
slot: 0 to 1023.$comment$;
