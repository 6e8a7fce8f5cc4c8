create or replace function queue._must_record_clock(moment timestamptz)
returns boolean
language sql
volatile
as $function$
  select moment operator(pg_catalog.>=) (queue._clock_shown() operator(pg_catalog.+) '1 second'::pg_catalog.interval)
$function$;

comment on function queue._must_record_clock(timestamptz) is
$comment$Returns whether the recorded time is over a second old. Inlined where it is used. A clock that was set back is not recorded, because _correct_clock_setback() has to see how far it was ahead.
moment: the current time.
Touches: nothing; reads queue.clock_shown.$comment$;
