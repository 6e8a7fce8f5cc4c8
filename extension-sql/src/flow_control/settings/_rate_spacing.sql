create or replace function queue._rate_spacing(rate jsonb)
returns interval
language sql
immutable
parallel safe
as $function$
  select pg_catalog.make_interval(
    -- The clock has microseconds.
    secs => greatest(
      (rate operator(pg_catalog.->>) 'per_seconds')::pg_catalog.float8,
      (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8 operator(pg_catalog./) 1000000
    ) operator(pg_catalog./) (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8
  )
$function$;

comment on function queue._rate_spacing(jsonb) is
$comment$Returns the time between two runs at a rate {"limit", "per_seconds"}.
Returns an interval of at least a microsecond; null without a rate.$comment$;
