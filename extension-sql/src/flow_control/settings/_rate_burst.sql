create or replace function queue._rate_burst(rate jsonb)
returns integer
language sql
immutable
parallel safe
as $function$
  -- A high rate isn't held up by the time from one receive to the next: what falls into a tenth of a second comes at once.
  select coalesce(
    (rate operator(pg_catalog.->>) 'burst')::integer,
    greatest(1, (0.1::pg_catalog.float8 operator(pg_catalog./) (rate operator(pg_catalog.->>) 'per_seconds')::pg_catalog.float8
      operator(pg_catalog.*) (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8)::integer)
  )
$function$;

comment on function queue._rate_burst(jsonb) is
$comment$How many runs may begin at once after a silence: "burst" of a rate, or what falls into a tenth of a second, at least one.
Returns a number, of no meaning where there is no rate.
Touches: nothing.$comment$;
