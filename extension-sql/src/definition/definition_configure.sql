create or replace function queue.definition_configure(
  name         text,
  folder       text default null,
  scope        jsonb default null,
  is_protected boolean default null,
  pool         text default null
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_before text;
  v_after  text;
begin
  perform queue._ensure_migrated();
  perform queue._check_settings(nullif(folder, ''), nullif(scope, 'null'), nullif(pool, ''));
  if scope is not null or pool is not null then
    perform queue._lock_name('publish');
  end if;
  perform queue._lock_epoch();
  perform queue._lock_definition(name);
  v_before := (select d.pool from queue.definition as d where d.name = definition_configure.name);
  update queue.definition as d
  set folder = case when definition_configure.folder is null then d.folder else nullif(definition_configure.folder, '') end,
    scope = case when definition_configure.scope is null then d.scope else nullif(definition_configure.scope, 'null') end,
    is_protected = coalesce(definition_configure.is_protected, d.is_protected),
    configured_pool = case
      when definition_configure.pool is null then d.configured_pool
      else nullif(definition_configure.pool, '')
    end,
    pool = case
      when definition_configure.pool is null then d.pool
      else coalesce(
        nullif(definition_configure.pool, ''),
        (
          select v.document #>> '{settings,pool}'
          from queue.definition_version as v
          where v.definition_id = d.definition_id
            and v.version = d.published_version
        ),
        case when d.published_version is null then d.draft #>> '{settings,pool}' end,
        'default'
      )
    end
  where d.name = definition_configure.name
    and (
      coalesce(definition_configure.folder, d.folder, '') <> coalesce(d.folder, '')
      or coalesce(definition_configure.scope, d.scope, 'null') <> coalesce(d.scope, 'null')
      or definition_configure.is_protected <> d.is_protected
      or coalesce(definition_configure.pool, d.configured_pool, '') <> coalesce(d.configured_pool, '')
    );
  if not found then
    perform queue._record_action('definition.configure', 'definition', array[name], changed => false);
    return false;
  end if;
  v_after := (select d.pool from queue.definition as d where d.name = definition_configure.name);
  if v_after <> v_before and queue._workflow_queue_id(name) is not null then
    perform queue._set_workflow_pool(name, v_after);
  end if;
  perform queue._advance_epoch();
  if scope is not null or pool is not null then
    perform queue._subscribe_definition(d.definition_id) from queue.definition as d where d.name = definition_configure.name;
  end if;
  perform queue._record_action('definition.configure', 'definition', array[name],
    jsonb_build_object('folder', folder, 'scope', scope, 'isProtected', is_protected, 'pool', pool));
  return true;
end
$function$;

comment on function queue.definition_configure(text, text, jsonb, boolean, text) is
$comment$Changes what a definition has besides its document. Arguments that are null change nothing.
folder: where lists show it; an empty text removes it.
scope: as in definition_create(); JSON null removes it.
is_protected: as in definition_create().
pool: whose workers receive its runs from now on, whatever the settings of its documents name; an empty text means the pool of the document again. Runs in flight stay in the pool in which they started.
Returns whether anything has changed.
Errors: OX003 invalid folder or pool, OX004 invalid argument, OX012 no such definition.
Touches: queue.definition, queue.definition_setting, queue.audit; for a scope or a pool also a lock for all publishing until the transaction ends, queue.definition_trigger and queue.subscription; as _set_workflow_pool(), if the pool changes.$comment$;
