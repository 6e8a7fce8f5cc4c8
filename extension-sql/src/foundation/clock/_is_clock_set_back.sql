create or replace function queue._is_clock_set_back(shown timestamptz, moment timestamptz)
returns boolean
language sql
stable
parallel safe
as $function$
  select coalesce(
    shown operator(pg_catalog.>) (moment operator(pg_catalog.+) '5 seconds'::pg_catalog.interval), false
  )
$function$;

comment on function queue._is_clock_set_back(timestamptz, timestamptz) is
$comment$Returns whether the clock was set back so far that stored times need correction. Smaller jumps are waited out.
shown: the latest time that the clock is known to have shown.
moment: what it shows now.$comment$;
