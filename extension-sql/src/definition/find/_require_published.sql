create or replace function queue._require_published(name text, versions integer[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_definition record;
  v_unknown    integer;
begin
  select d.definition_id, d.state into v_definition
  from queue.definition as d
  where d.name = _require_published.name;
  if not found then
    return;
  elsif v_definition.state in ('draft', 'archived') then
    perform queue._raise_definition_inactive(name, v_definition.state);
  elsif versions is null then
    return;
  end if;

  select i.version into v_unknown
  from unnest(versions) as i (version)
  where i.version is not null
    and not exists (
      select
      from queue.definition_version as v
      where v.definition_id = v_definition.definition_id
        and v.version = i.version
    )
  limit 1;
  if v_unknown is not null then
    perform queue._raise_definition_not_found(name, v_unknown);
  end if;
end
$function$;

comment on function queue._require_published(text, integer[]) is
$comment$Requires that a definition may be started by the name of its workflow. A name that no definition has may be.
versions: that the starts name; null elements, or null, mean the published one.
Errors: OX012 no such version, OX017 it is archived or was never published.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
