create or replace function queue._paused_until(headers jsonb)
returns timestamptz
language sql
as $function$
  select coalesce((headers operator(pg_catalog.#>>) '{paused,until}')::pg_catalog.timestamptz, 'infinity')
$function$;

comment on function queue._paused_until(jsonb) is
$comment$When a paused continuation becomes visible all the same: at the deadline of its run, which then fails.
headers: of a continuation; what is paused has {"paused": {"until": <the run's deadline>, "due": <when it would have gone on>}}, both left out where they are null.
Returns infinity where the run has no deadline.
Touches: nothing.$comment$;
