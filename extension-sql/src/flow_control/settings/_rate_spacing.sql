create or replace function queue._rate_spacing(rate jsonb)
returns interval
language sql
immutable
parallel safe
as $function$
  select pg_catalog.make_interval(
    secs => (rate operator(pg_catalog.->>) 'per_seconds')::pg_catalog.float8
      operator(pg_catalog./) (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8
  )
$function$;

comment on function queue._rate_spacing(jsonb) is
$comment$Returns the time between two runs at a rate {"limit", "per_seconds"}.
Returns an interval; null without a rate.
Touches: nothing.$comment$;
