create or replace function queue._tick_key(name text, route text, tick timestamptz)
returns text
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
      when route is null then format('schedule:%s', name)
      else format('%s/schedule:%s', route, substr(name, length(route) + 1))
    end || to_char(tick at time zone 'UTC', '":"YYYY-MM-DD"T"HH24:MI:SS"Z"')
$function$;

comment on function queue._tick_key(text, text, timestamptz) is
$comment$Returns the idempotency key of the run that a tick starts: one run a tick, whatever happens to schedules, messages and tickers.
name: of the schedule.
route: of the run, with which the key begins, or null.
Touches: nothing.$comment$;
