create or replace function queue._paused_until(headers jsonb)
returns timestamptz
language sql
as $function$
  select case
    when headers operator(pg_catalog.?) 'paused'
      then coalesce((headers operator(pg_catalog.#>>) '{paused,until}')::pg_catalog.timestamptz, 'infinity')
  end
$function$;

comment on function queue._paused_until(jsonb) is
$comment$Returns when a paused continuation becomes visible in any case: at the deadline of its run, which then fails.
headers: of a continuation. A paused one has {"paused": {"until": <the run's deadline>, "due": <when it would resume without the pause>}}; either is absent if null.
Returns the time; infinity if the run has no deadline, null if it isn't paused.
Touches: nothing.$comment$;
