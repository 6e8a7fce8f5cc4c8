create or replace function queue._startable_version(name text, version integer)
returns integer
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_definition record;
begin
  if queue._require_current_tables() is not true then
    perform queue._raise_definition_not_found(name);
  end if;
  select d.definition_id, d.state, d.published_version, d.pause_reason into v_definition
  from queue.definition as d
  where d.name = _startable_version.name;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  if v_definition.state is distinct from 'published' then
    perform queue._raise_definition_inactive(name, v_definition.state, v_definition.pause_reason);
  end if;
  if _startable_version.version is not null and not exists (
    select
    from queue.definition_version as v
    where v.definition_id = v_definition.definition_id
      and v.version = _startable_version.version
  ) then
    perform queue._raise_definition_not_found(name, version);
  end if;
  return coalesce(version, v_definition.published_version);
end
$function$;

comment on function queue._startable_version(text, integer) is
$comment$Decides which version of a definition a start takes.
version: the one that the start names; null means the published one.
Returns the version.
Errors: OX012 no such definition or version, OX017 it is paused, archived or was never published.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
