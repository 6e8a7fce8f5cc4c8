create or replace function queue._inactivity(name text, state text, pause_reason text default null)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case state
    when 'paused' then format('definition "%s" is paused%s', name, coalesce(': ' || pause_reason, ''))
    when 'archived' then format('definition "%s" is archived', name)
    else format('definition "%s" was never published', name)
  end
$function$;

comment on function queue._inactivity(text, text, text) is
$comment$Describes why a definition starts no runs.
state, pause_reason: of the definition.
Returns a part of a sentence.$comment$;
