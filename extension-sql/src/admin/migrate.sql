create or replace function queue.migrate()
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_latest constant integer := @latest_migration@;
  v_current integer := 0;
begin
  if to_regclass('queue.migration') is not null then
    select coalesce(max(m.version), 0) into v_current from queue.migration as m;
    if v_current >= v_latest and to_regclass('queue.@latest_state@') is not null then
      return 0;
    end if;
  elsif to_regtype('queue.workflow_status') is not null then
    perform queue._raise('OX006', 'the tables of schema "queue" were dropped, but not its types', null,
      'Run DROP SCHEMA queue CASCADE, which removes what is left, then install Oxbow again.');
  end if;

  perform queue._lock_tables();
  perform queue._require_migration_rights();

  create table if not exists queue.migration (
    applied_at timestamptz not null,
    version    integer not null,
    name       text not null,
    constraint migration_pkey primary key (version)
  );
  comment on table queue.migration is
    'One row per change of state that was applied to this database, from migrations/.';
  comment on column queue.migration.applied_at is 'When it was applied.';
  comment on column queue.migration.version is 'Number of the migration.';
  comment on column queue.migration.name is 'Name of the migration.';

  -- Again, because another migrator may have held the locks.
  select coalesce(max(m.version), 0) into v_current from queue.migration as m;

@migrations@

  perform queue._create_state_markers(v_latest);
  if v_current < v_latest then
    perform queue._create_queue_functions(q.name, q.kind) from queue.queue as q where q.kind <> 'workflow';
  end if;
  return greatest(v_latest - v_current, 0);
end
$function$;

comment on function queue.migrate() is
$comment$Upgrades the tables to the version of the functions: applies the migrations that this database lacks, in the caller's transaction. Concurrent callers wait for each other, and the second finds nothing to do. The tables belong to the owner of the functions, never to the extension, so that pg_dump includes their rows.
Returns how many migrations it applied; 0 if there was nothing to do.
Errors: OX006 called by an extension script, or by a role that may not create tables in schema queue, or the tables were dropped one by one and their types are left; 55P03 the tables stayed locked by other transactions for a minute: call it again.
Touches: all tables of the schema, locked exclusively before anything changes; queue.migration, and everything that the migrations change.$comment$;
