create or replace function queue._clock_shown()
returns timestamptz
language sql
volatile
as $function$
  select pg_catalog.to_timestamp(
    pg_catalog.pg_sequence_last_value('queue.clock_shown'::regclass)
      operator(pg_catalog./) '1000'::double precision
  )
$function$;

comment on function queue._clock_shown() is
$comment$Returns the latest time that the clock is known to have shown, as _record_clock() has recorded it. Inlined where it is used.
Touches: nothing; reads queue.clock_shown.$comment$;
