create or replace function queue.definition_delete(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_definition_id bigint;
  v_is_protected  boolean;
begin
  perform queue._ensure_migrated();
  -- Nothing is published that refers to it in the meantime.
  perform queue._lock_name('publish');
  perform queue._lock_epoch();
  select d.definition_id, d.is_protected into v_definition_id, v_is_protected
  from queue.definition as d
  where d.name = definition_delete.name
  for no key update;
  if not found then
    return false;
  end if;
  -- Otherwise its author could delete it, and create it again without protection.
  if (not v_is_protected or queue._is_administrator()) is not true then
    perform queue._raise(
      '42501',
      format('definition "%s" is protected, and role "%s" may not delete it', name, queue._caller()),
      null,
      'Archive it, or let a member of oxbow_admin delete it.'
    );
  end if;
  perform queue.definition_delete_test(t.name, t.run_id) from queue.definition_test_run as t where t.name = definition_delete.name;
  perform queue._require_unreferenced(name);

  insert into queue.deleted_definition as g (deleted_at, last_version, name)
  select clock_timestamp(), max(v.version), definition_delete.name
  from queue.definition_version as v
  where v.definition_id = v_definition_id
  having max(v.version) is not null
  on conflict on constraint deleted_definition_pkey do update
  set deleted_at = excluded.deleted_at,
    last_version = excluded.last_version;
  delete from queue.resource_reference as r
  where r.owner_type = 'definition'
    and r.owner_id = definition_delete.name;
  update queue.definition as d set published_version = null where d.definition_id = v_definition_id;
  perform queue._subscribe_definition(v_definition_id);
  delete from queue.hook_delivery as y
  using queue.definition_hook as h
  where h.definition_id = v_definition_id
    and y.hook_id = h.hook_id;
  delete from queue.definition_hook as h where h.definition_id = v_definition_id;
  delete from queue.definition_former_pool as f where f.definition_id = v_definition_id;
  delete from queue.definition_once as o where o.definition_id = v_definition_id;
  delete from queue.trigger_match as m where m.definition_id = v_definition_id;
  delete from queue.definition_layout as l where l.definition_id = v_definition_id;
  delete from queue.definition_version as v where v.definition_id = v_definition_id;
  delete from queue.definition as d where d.definition_id = v_definition_id;
  delete from queue.workflow_version as v where v.workflow_name = definition_delete.name;
  perform queue._advance_epoch();
  perform queue._record_action('definition.delete', 'definition', array[name],
    jsonb_build_object('isProtected', v_is_protected));
  return true;
end
$function$;

comment on function queue.definition_delete(text) is
$comment$Deletes a definition with all its versions. Its test runs are deleted. It is refused while the definition has other runs, in progress or ended, an open transaction may have started one, or something starts it: the published version of another definition, a schedule, or a subscription. It waits for no such transaction; starts wait for the one that deletes. Only administrators delete a protected definition. A definition that is created with this name later begins with the next version.
Returns false if the definition does not exist.
Errors: OX014 the definition is in use, with its users in the detail, 42501 the definition is protected.
Touches: a lock for all publishing until the transaction ends; queue.definition, queue.definition_version, queue.definition_layout, queue.resource_reference, queue.deleted_definition, queue.workflow_version, queue.definition_setting, queue.definition_trigger, queue.subscription, queue.schedule, queue.definition_hook, queue.hook_delivery, queue.definition_former_pool, queue.definition_once, queue.trigger_match, queue.audit; as definition_delete_test().$comment$;
