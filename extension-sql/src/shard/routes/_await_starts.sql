create or replace function queue._await_starts(slots integer[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._lock_slots(slots);
  -- The end of the subtransaction releases the locks.
  raise sqlstate 'OX000';
exception
  when sqlstate 'OX000' then
    null;
end
$function$;

comment on function queue._await_starts(integer[]) is
$comment$Waits until the transactions that have started runs with a route of these slots end: the next statement sees all runs that have an id so far.
Errors: 55P03 one stays open for longer than 50 ms.
Touches: advisory locks of slots, exclusively, for a moment.$comment$;
