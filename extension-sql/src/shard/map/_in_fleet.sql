create or replace function queue._in_fleet()
returns boolean
language sql
stable
parallel safe
as $function$
  select pg_catalog.to_regclass('queue.in_fleet') is not null
$function$;

comment on function queue._in_fleet() is
$comment$Returns whether this database is a shard of a fleet. Inlined: sends, routed starts and schedules in a standalone database test this condition, and read and lock nothing.$comment$;
