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
$comment$Returns how long a suspect rests after its lease has expired: a quarter of a lease at first, and 1.4 times as long each time. A run that blocks its worker for longer than a lease can then still be committed by that worker, and a worker that restarts repeatedly receives each suspect less and less often.
lapses: how many of its leases in a row have expired, from 2.
lease: of the worker that receives.
Returns the delay, at most an hour or one lease.
Touches: nothing.$comment$;
