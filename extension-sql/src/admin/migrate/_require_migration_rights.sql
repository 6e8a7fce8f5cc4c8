create or replace function queue._require_migration_rights()
returns void
language plpgsql
volatile
as $function$
declare
  v_is_member boolean;
begin
  if has_schema_privilege('queue', 'create') is not true then
    perform queue._raise('OX006', format('role "%s" may not create tables in schema "queue"', current_user), null,
      'Call queue.migrate() as the owner of the schema, once after the installation and after each upgrade.');
  end if;

  -- No function reports that an extension script is running, but everything that one creates becomes a member.
  create domain queue._migration_probe as integer;
  select exists (
    select
    from pg_depend as d
    where d.classid = 'pg_type'::regclass
      and d.objid = to_regtype('queue._migration_probe')
      and d.deptype = 'e'
  ) into v_is_member;
  drop domain queue._migration_probe;

  if v_is_member is not false then
    perform queue._raise('OX006', 'an extension script may not migrate schema "queue"',
      'The tables would belong to the extension, and pg_dump would leave out their rows.',
      'Call queue.migrate() after CREATE EXTENSION or ALTER EXTENSION, in a separate statement.');
  end if;
end
$function$;

comment on function queue._require_migration_rights() is
$comment$Requires that the caller may create tables in schema queue, and that they would not belong to an extension.
Errors: OX006 the caller may not, or an extension script is running.
Touches: a domain, which is created and dropped.$comment$;
