create or replace function queue._protected_source(protection_id bigint)
returns table (source regclass, id_column name)
language plpgsql
stable
as $function$
begin
  return query
    select k.confrelid::regclass, a.attname
    from pg_constraint as k
    join pg_attribute as a
      on a.attrelid = k.confrelid
      and a.attnum = k.confkey[1]
    where k.conrelid = to_regclass(queue._pin_table(_protected_source.protection_id))
      and k.contype = 'f'
      and k.conname = 'protected_reference_has_its_resource';
end
$function$;

comment on function queue._protected_source(bigint) is
$comment$Finds the table that a protection protects, by its foreign key, which survives that the table is renamed.
Returns no row if the application has dropped the table.$comment$;
