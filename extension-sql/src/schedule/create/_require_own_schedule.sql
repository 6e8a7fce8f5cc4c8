create or replace function queue._require_own_schedule(name text)
returns void
language plpgsql
volatile
as $function$
begin
  perform queue._ensure_migrated();
  -- Those of definitions stay where their definition is.
  if not starts_with(name, 'definition:') then
    perform queue._require_place('schedule', name);
  end if;
end
$function$;

comment on function queue._require_own_schedule(text) is
$comment$Requires that a schedule is at home in this shard, whether it exists or not, and keeps it there until the transaction ends. A change of schedules calls it before it locks their rows.
Errors: OX028 it is at home in another shard.
Touches: as _require_place().$comment$;
