-- What an older release left and this one declares otherwise. A function whose parameters have changed would stay
-- beside the new one, and make calls ambiguous; a type can't be replaced, only altered. Each line does nothing where
-- there is nothing to do.

drop function if exists queue._check_start(integer[], text[], integer[], numeric[]);
drop function if exists queue.workflow_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb);
drop function if exists queue.workflow_start_batch(text, jsonb[], integer[], text[], integer[], numeric[], timestamptz[], jsonb[]);
drop function if exists queue.workflow_signal(bigint, text, jsonb);
drop function if exists queue.workflow_commit(text[], bigint[], bigint[], text[], jsonb[], timestamptz[], integer[], integer[], text[], text[], jsonb[], jsonb[], integer[], double precision[]);
drop function if exists queue.workflow_journal(bigint);
drop function if exists queue.workflow_sweep(integer);

do $upgrade$
declare
  v_added record;
begin
  for v_added in
    select a.type_name, a.attribute, a.type
    from (values
      ('extended_leases', 'paused', 'bigint[]'),
      ('workflow_state', 'paused_at', 'timestamptz'),
      ('workflow_state', 'pause_reason', 'text'),
      ('workflow_state', 'rerun_of', 'bigint'),
      ('workflow_state', 'superseded_by', 'bigint'),
      ('workflow_journal_entry', 'position', 'integer')
    ) as a (type_name, attribute, type)
    join pg_class as c on c.relname = a.type_name and c.relkind = 'c' and c.relnamespace = 'queue'::regnamespace
    where not exists (
      select
      from pg_attribute as p
      where p.attrelid = c.oid
        and p.attname = a.attribute
        and not p.attisdropped
    )
  loop
    execute format('alter type queue.%I add attribute %I %s', v_added.type_name, v_added.attribute, v_added.type);
  end loop;
end
$upgrade$;
