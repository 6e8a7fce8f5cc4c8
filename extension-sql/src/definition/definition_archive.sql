create or replace function queue.definition_archive(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_definition record;
begin
  perform queue._ensure_migrated();
  perform queue._lock_name('publish');
  perform queue._lock_epoch();
  v_definition := queue._lock_definition(name);
  if v_definition.archived_at is not null then
    perform queue._record_action('definition.archive', 'definition', array[name], changed => false);
    return false;
  end if;
  update queue.definition as d
  set archived_at = clock_timestamp(),
    published_version = null
  where d.definition_id = v_definition.definition_id;
  update queue.definition_version as v
  set state = 'archived'
  where v.definition_id = v_definition.definition_id
    and v.state = 'published';
  delete from queue.workflow_version as v where v.workflow_name = definition_archive.name;
  perform queue._advance_epoch();
  perform queue._subscribe_definition(v_definition.definition_id);
  perform queue._record_action('definition.archive', 'definition', array[name]);
  return true;
end
$function$;

comment on function queue.definition_archive(text) is
$comment$Archives a definition: it starts no runs until it is published again. Its triggers end; runs in progress continue, and its versions stay.
Returns false if it was archived.
Errors: OX012 no such definition.
Touches: a lock for all publishing until the transaction ends; queue.definition, queue.definition_version, queue.workflow_version, queue.definition_setting, queue.definition_trigger, queue.subscription, queue.audit.$comment$;
