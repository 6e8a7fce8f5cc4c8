create or replace function queue.protect_resource(type text, source regclass, id_column name default 'id')
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_id_type       regtype;
  v_protection    record;
  v_protection_id bigint;
begin
  perform queue._ensure_migrated();
  perform queue._check_resource_name(type, 'type of resources');
  perform queue._check_source(source);
  -- Only built-in types: code of another one would run with the rights of the owner of these functions.
  select a.atttypid::regtype into v_id_type
  from pg_attribute as a
  where a.attrelid = source
    and a.attname = id_column
    and a.attnum > 0
    and not a.attisdropped
    and a.atttypid = any ('{text,varchar,uuid,int2,int4,int8}'::regtype[]);
  if not found then
    perform queue._raise('OX004', format('column "%s" of table %s has no ids', left(id_column::text, 100), source), null,
      'Name a column of the type text, varchar, uuid, smallint, integer or bigint.');
  end if;
  -- Nothing that refers to such a resource is published in the meantime.
  perform queue._lock_name('publish');
  select p.type, s.source,
    (p.type, s.source, s.id_column) = (protect_resource.type, protect_resource.source, protect_resource.id_column) as is_same
  into v_protection
  from queue.resource_protection as p
  cross join lateral queue._protected_source(p.protection_id) as s
  where p.type = protect_resource.type
    or s.source = protect_resource.source
  order by is_same desc
  limit 1;
  if v_protection.is_same then
    return false;
  elsif found then
    perform queue._raise('OX004',
      format('table %s has the resources of type "%s"', v_protection.source, v_protection.type), null,
      format('Call unprotect_resource(%L) first.', v_protection.type));
  end if;

  insert into queue.resource_protection as p (protected_at, type)
  values (clock_timestamp(), protect_resource.type)
  on conflict on constraint resource_protection_type do update set protected_at = excluded.protected_at
  returning p.protection_id into v_protection_id;
  perform queue._create_pin_table(v_protection_id, source, id_column, v_id_type);
  execute format(
    'create or replace trigger oxbow_guard before delete or update of %I on %s for each row execute function queue._guard_resource(%L)',
    id_column, source, type
  );
  perform queue._pin_references(null, null, null, type);
  perform queue._record_action('resource.protect', 'resource', array[type],
    jsonb_build_object('table', source::text, 'column', id_column));
  return true;
end
$function$;

comment on function queue.protect_resource(text, regclass, name) is
$comment$Keeps rows of a table of the application from being deleted while something names them: published definitions, archived versions with runs in progress, and owners of reference_set(). Such a delete, or a change of the id, fails with OX026, which names the owners; what names a row that does not exist can't be published. A foreign key ensures both under concurrency and at every isolation level. It refuses TRUNCATE of the table as well.
type: the resources whose ids the table has.
source: the table, which the caller owns. The owner of Oxbow's functions needs USAGE on its schema, and TRIGGER and REFERENCES on the table.
id_column: the column of the ids, with a unique constraint.
Returns false if the type was protected in this way.
Errors: OX004 invalid argument, OX027 something names a resource that the table does not have, 42501 the caller does not own the table.
Touches: a lock for all publishing until the transaction ends; queue.resource_protection, queue.audit; the table, which can't be written to until the transaction ends.$comment$;
