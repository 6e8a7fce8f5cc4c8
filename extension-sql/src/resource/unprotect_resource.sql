create or replace function queue.unprotect_resource(type text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_protection_id bigint;
  v_source        regclass;
begin
  perform queue._ensure_migrated();
  perform queue._lock_name('publish');
  select p.protection_id into v_protection_id
  from queue.resource_protection as p
  where p.type = unprotect_resource.type
  for update;
  if not found then
    return false;
  end if;
  v_source := (select s.source from queue._protected_source(v_protection_id) as s);
  if v_source is not null then
    perform queue._check_source(v_source);
    -- Without the protection, the trigger does nothing. Only the owner of a table may drop its triggers.
    if pg_has_role(current_user, (select c.relowner from pg_class as c where c.oid = v_source), 'usage') then
      execute format('drop trigger if exists oxbow_guard on %s', v_source);
    end if;
  end if;
  execute format('drop table if exists %s', queue._pin_table(v_protection_id));
  delete from queue.resource_protection as p where p.protection_id = v_protection_id;
  perform queue._record_action('resource.unprotect', 'resource', array[type],
    jsonb_build_object('table', v_source::text));
  return true;
end
$function$;

comment on function queue.unprotect_resource(text) is
$comment$Lets rows that protect_resource() protects be deleted again. Call it as the owner of the table. The trigger oxbow_guard stays on a table that the owner of Oxbow's functions does not own, and does nothing; its owner may drop it.
Returns false if the type was not protected.
Errors: 42501 the caller does not own the table.
Touches: a lock for all publishing until the transaction ends; queue.resource_protection, queue.audit; the table, exclusively until the transaction ends.$comment$;
