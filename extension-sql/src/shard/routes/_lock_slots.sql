create or replace function queue._lock_slots(slots integer[])
returns void
language plpgsql
volatile
set lock_timeout = '50ms'
as $function$
declare
  -- Other starts wait as long.
  v_until constant timestamptz := clock_timestamp() + interval '50 milliseconds';
  v_keys  constant bigint[] := array(
    select distinct queue._slot_lock_key(s.slot) from unnest(slots) as s (slot) order by 1
  );
  v_key   bigint;
begin
  foreach v_key in array v_keys loop
    -- The time is that of all locks together. The end of the function restores the setting.
    perform set_config(
      'lock_timeout', greatest(ceil(extract(epoch from v_until - clock_timestamp()) * 1000), 1)::integer || 'ms', true
    );
    perform pg_advisory_xact_lock(v_key);
  end loop;
exception
  when lock_not_available then
    perform queue._raise('55P03',
      format('transactions that have started runs with such routes stay open%s',
        ', of the processes ' || queue._lock_holders(v_keys)),
      null,
      'Let them end: pg_stat_activity shows them by their pid.');
end
$function$;

comment on function queue._lock_slots(integer[]) is
$comment$Waits until the transactions that have started runs with a route of these slots end, and keeps other starts waiting until this one ends.
Errors: 55P03 transactions that have started such runs, or another move, stay open for longer than 50 ms: it names their processes.
Touches: advisory locks of slots, exclusively, until the transaction ends; as _lock_holders() if that fails.$comment$;
