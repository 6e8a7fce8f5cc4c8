create or replace function queue._suspect_delay(lapses integer, lease interval)
returns interval
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select least(lease * (power(2, least(lapses - 2, 30) / 2.0::double precision) / 4), greatest(lease, interval '1 hour'))
$function$;

comment on function queue._suspect_delay(integer, interval) is
$comment$How long a suspect rests after its lease expired: a quarter of a lease at first, 1.4 times as long each time. So a run that blocks its worker for longer than a lease is still there when that worker comes back to commit it, and a worker that is restarted all the time meets each suspect ever less often.
lapses: how many of its leases in a row have expired, from 2. lease: of the worker that receives.
Returns the delay, an hour or one lease at most.
Touches: nothing.$comment$;
