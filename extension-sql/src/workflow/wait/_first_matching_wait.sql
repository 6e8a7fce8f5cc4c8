create or replace function queue._first_matching_wait(waits jsonb, event text, payload jsonb)
returns jsonb
language sql
as $function$
  select w
  from pg_catalog.jsonb_array_elements(waits) with ordinality as e (w, n)
  where w ->> 'kind' = 'event'
    and w ->> 'event' = event
    and (not w ? 'match' or payload @> (w -> 'match'))
  order by n
  limit 1
$function$;

comment on function queue._first_matching_wait(jsonb, text, jsonb) is
$comment$Returns the first event wait of a continuation that a signal satisfies. _signals_for() must agree about buffered ones.
Returns null if no wait matches.
Touches: nothing.$comment$;
