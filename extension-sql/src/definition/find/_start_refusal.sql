create or replace function queue._start_refusal(name text, version integer default null)
returns jsonb
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_definition record;
begin
  select d.definition_id, d.state into v_definition
  from queue.definition as d
  where d.name = _start_refusal.name;
  if not found then
    return null;
  elsif v_definition.state in ('draft', 'archived') then
    return jsonb_build_object(
      'name', 'DefinitionInactive',
      'code', 'DEFINITION_INACTIVE',
      'message', queue._inactivity(name, v_definition.state)
    );
  elsif version is not null and not exists (
    select
    from queue.definition_version as v
    where v.definition_id = v_definition.definition_id
      and v.version = _start_refusal.version
  ) then
    return jsonb_build_object(
      'name', 'DefinitionNotFound',
      'code', 'DEFINITION_NOT_FOUND',
      'message', format('definition "%s" has no version %s', name, version)
    );
  end if;
  return null;
end
$function$;

comment on function queue._start_refusal(text, integer) is
$comment$Returns why the definition of a name can't be started by that name, as the error of a run.
version: null means the published one.
Returns null if it can be, or no definition has the name.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
