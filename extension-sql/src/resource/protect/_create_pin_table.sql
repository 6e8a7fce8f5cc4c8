create or replace function queue._create_pin_table(protection_id bigint, source regclass, id_column name, id_type regtype)
returns void
language plpgsql
volatile
as $function$
declare
  v_table constant text := queue._pin_table(protection_id);
begin
  -- It has lost its foreign key if the application has dropped its table.
  execute format('drop table if exists %s', v_table);
  execute format($sql$
    create table %s (
      reference_id bigint not null,
      id           %s not null,
      primary key (reference_id),
      constraint protected_reference_has_its_reference foreign key (reference_id)
        references queue.resource_reference on delete cascade,
      constraint protected_reference_has_its_resource foreign key (id) references %s (%I)
    )
  $sql$, v_table, id_type, source, id_column);
  execute format('create index on %s (id)', v_table);
  execute format('comment on table %s is %L', v_table,
    'References to protected resources, each with a foreign key to its resource.');
  execute format('comment on column %s.reference_id is %L', v_table, 'The reference.');
  execute format('comment on column %s.id is %L', v_table, 'Id of the resource.');
exception
  when invalid_foreign_key then
    perform queue._raise('OX004', format('column "%s" of table %s is not unique', id_column, source), null,
      'Name the primary key, or a column with a unique constraint.');
end
$function$;

comment on function queue._create_pin_table(bigint, regclass, name, regtype) is
$comment$Creates the table of a protection. Its foreign key is created while the table is empty, so that no query reads the other table with the rights of the owner of these functions.
Errors: OX004 the column is not unique.
Touches: queue.protected_reference_<protection_id>; the source, until the transaction ends.$comment$;
