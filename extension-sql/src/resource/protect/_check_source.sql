create or replace function queue._check_source(source regclass)
returns void
language plpgsql
stable
as $function$
declare
  v_table record;
begin
  select c.relowner, c.relkind, c.relpersistence, n.nspname into v_table
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  where c.oid = source;
  if not found then
    perform queue._raise('OX004', 'there is no such table', null, 'Name a table.');
  end if;
  if pg_has_role(queue._caller(), v_table.relowner, 'usage') is not true then
    perform queue._raise('42501', format('role "%s" does not own table %s', queue._caller(), source), null,
      'Let the owner of the table call this.');
  end if;
  if (
    v_table.relkind in ('r', 'p') and v_table.relpersistence <> 't' and v_table.nspname not in ('queue', 'pg_catalog')
  ) is not true then
    perform queue._raise('OX004', format('%s is no table of an application', source), null,
      'Name an ordinary or partitioned table.');
  end if;
  if (
    has_schema_privilege(current_user, v_table.nspname, 'usage')
    and has_table_privilege(current_user, source, 'trigger')
    and has_table_privilege(current_user, source, 'references')
  ) is not true then
    perform queue._raise('42501', format('role "%s", which owns Oxbow, may not protect table %s', current_user, source), null,
      format('Run: grant usage on schema %I to %I; grant trigger, references on table %s to %I;', v_table.nspname, current_user, source,
        current_user));
  end if;
end
$function$;

comment on function queue._check_source(regclass) is
$comment$Checks that the caller may have a table protected, and that the owner of the functions may do it.
Errors: OX004 invalid argument, 42501 the caller does not own the table, or the owner of the functions has no right to it.$comment$;
