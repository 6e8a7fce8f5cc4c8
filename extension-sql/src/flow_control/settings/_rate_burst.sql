create or replace function queue._rate_burst(rate jsonb)
returns integer
language sql
immutable
parallel safe
as $function$
  -- The time between two receives must not slow down a high rate, so a tenth of a second's worth begins together.
  select coalesce(
    (rate operator(pg_catalog.->>) 'burst')::integer,
    greatest(1, (0.1::pg_catalog.float8 operator(pg_catalog./) (rate operator(pg_catalog.->>) 'per_seconds')::pg_catalog.float8
      operator(pg_catalog.*) (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8)::integer)
  )
$function$;

comment on function queue._rate_burst(jsonb) is
$comment$Returns how many runs may begin at once after a pause: "burst" of a rate, or a tenth of a second's worth, at least one.
Returns a number; it has no meaning without a rate.$comment$;
