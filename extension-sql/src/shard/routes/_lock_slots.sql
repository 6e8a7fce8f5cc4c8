create or replace function queue._lock_slots(slots integer[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- Other starts wait as long.
set lock_timeout = '50ms'
as $function$
begin
  perform pg_advisory_xact_lock(l.key)
  from (
    select distinct queue._slot_lock_key(s.slot) as key
    from unnest(slots) as s (slot)
    order by 1
  ) as l;
end
$function$;

comment on function queue._lock_slots(integer[]) is
$comment$Waits until the transactions that have started runs with a route of these slots end, and keeps other starts waiting until this one ends.
Errors: 55P03 a transaction that has started such a run stays open for longer than 50 ms.
Touches: advisory locks of slots, exclusively, until the transaction ends.$comment$;
