create or replace function queue._pause_endpoints()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  update queue.endpoint as e
  set paused_at = clock_timestamp(), check_at = null
  where e.paused_at is null;
end
$function$;

comment on function queue._pause_endpoints() is
$comment$Pauses all endpoints of a copy, whose urls lead to functions of its source.
Touches: queue.endpoint.$comment$;
