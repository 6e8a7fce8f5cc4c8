create or replace function queue._guard_resource()
returns trigger
language plpgsql
volatile
security definer
as $function$
declare
  v_type          constant text := tg_argv[0];
  v_protection_id constant bigint := (
    select p.protection_id from queue.resource_protection as p where p.type = v_type
  );
  v_column        constant name := (select s.id_column from queue._protected_source(v_protection_id) as s);
  v_id            text;
  v_is_kept       boolean := false;
begin
  if v_column is null then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  -- The foreign key ensures that the column has a built-in type still, so no code of the table's owner runs here.
  execute format('select ($1).%I::text', v_column) into v_id using old;
  if tg_op = 'UPDATE' then
    execute format('select ($1).%1$I is not distinct from ($2).%1$I', v_column) into v_is_kept using old, new;
  end if;
  if not v_is_kept then
    -- The row is locked, so whatever names it is committed, or waits.
    perform queue._require_no_references(v_type, v_id);
    -- Lets go of a resource that only archived versions without runs name.
    execute format($sql$
      delete from %s as p
      using queue.resource_reference as r
      where r.type = $1
        and r.id = $2
        and r.reference_id = p.reference_id
        and r.reference_id not in (
          select s.reference_id from queue._reference_states($1, $2) as s where s.state <> 'draft'
        )
    $sql$, queue._pin_table(v_protection_id))
    using v_type, v_id;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$function$;

comment on function queue._guard_resource() is
$comment$Keeps a row of a protected table from being deleted, and its id from being changed, while something names it. The foreign key of the protection would refuse this too, without naming the owners.
Returns the row.
Errors: OX026 resource in use, with the owners in the detail.
Touches: queue.protected_reference_<protection_id>; reads as references_to().$comment$;
