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
$comment$Tells whether the clock was set back by so much that times need correction. Less is waited for.
shown: the latest time that it is known to have shown. moment: what it shows now.
Touches: nothing.$comment$;
