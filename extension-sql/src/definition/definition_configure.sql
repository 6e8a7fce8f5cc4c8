create or replace function queue.definition_configure(
  name         text,
  folder       text default null,
  scope        jsonb default null,
  is_protected boolean default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  perform queue._check_settings(nullif(folder, ''), nullif(scope, 'null'));
  perform queue._lock_definition(name);
  update queue.definition as d
  set folder = case when definition_configure.folder is null then d.folder else nullif(definition_configure.folder, '') end,
    scope = case when definition_configure.scope is null then d.scope else nullif(definition_configure.scope, 'null') end,
    is_protected = coalesce(definition_configure.is_protected, d.is_protected)
  where d.name = definition_configure.name
    and (
      coalesce(definition_configure.folder, d.folder, '') <> coalesce(d.folder, '')
      or coalesce(definition_configure.scope, d.scope, 'null') <> coalesce(d.scope, 'null')
      or definition_configure.is_protected <> d.is_protected
    );
  if not found then
    perform queue._record_action('definition.configure', 'definition', array[name], 'unchanged');
    return false;
  end if;
  perform queue._advance_epoch();
  perform queue._record_action('definition.configure', 'definition', array[name], 'changed',
    jsonb_build_object('folder', folder, 'scope', scope, 'isProtected', is_protected));
  return true;
end
$function$;

comment on function queue.definition_configure(text, text, jsonb, boolean) is
$comment$Changes what a definition has besides its document. Arguments that are null leave what is there.
folder: where lists show it; an empty text means none.
scope: as in definition_create(); JSON null means none.
is_protected: as in definition_create().
Returns whether anything has changed.
Errors: OX003 invalid folder, OX004 invalid argument, OX012 no such definition.
Touches: queue.definition, queue.definition_setting, queue.audit.$comment$;
