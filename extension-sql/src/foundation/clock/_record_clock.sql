create or replace function queue._record_clock(moment timestamptz)
returns void
language plpgsql
volatile
as $function$
begin
  perform setval('queue.clock_shown', (extract(epoch from moment) * 1000)::bigint);
end
$function$;

comment on function queue._record_clock(timestamptz) is
$comment$Records what the clock shows, so that it is noticed if it is set back. Functions that write times call this if _must_record_clock(), so that no time is written by a clock of which nothing is known.
moment: the current time.
Touches: queue.clock_shown, which others see immediately, and which stays if the transaction is rolled back.$comment$;
