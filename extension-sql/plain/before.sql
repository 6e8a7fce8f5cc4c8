-- Oxbow @version@: everything that `create extension oxbow` and `select queue.migrate()` make, for a Postgres into
-- which no extension can be installed. `oxbow migrate` runs this; by hand:
--
--   psql --single-transaction --set ON_ERROR_STOP=1 --file oxbow.sql
--
-- It may be run again at any time, and over an older version: that is the upgrade.

set local client_min_messages = warning;
set local search_path = pg_catalog, pg_temp;
-- Functions call each other, whatever the order in which they are made.
set local check_function_bodies = off;

@require_utf8@
do $guard$
declare
  v_installed text;
begin
  if to_regnamespace('queue') is null then
    create schema queue;
    return;
  end if;

  if exists (select from pg_extension as e where e.extname = 'oxbow') then
    raise exception using
      errcode = 'OX006',
      message = 'Oxbow is installed as an extension',
      hint = 'Upgrade it by ALTER EXTENSION oxbow UPDATE, then call queue.migrate().';
  end if;

  if to_regprocedure('queue.protocol_version()') is null then
    if to_regclass('queue.migration') is not null then
      -- The tables that an extension has left which was dropped.
      return;
    elsif to_regtype('queue.workflow_status') is not null then
      raise exception using
        errcode = 'OX006',
        message = 'the tables of schema "queue" were dropped, but not its types',
        hint = 'Run DROP SCHEMA queue CASCADE, which removes what is left, then install Oxbow again.';
    elsif exists (select from pg_class as c where c.relnamespace = 'queue'::regnamespace)
      or exists (select from pg_proc as p where p.pronamespace = 'queue'::regnamespace)
      or exists (select from pg_type as t where t.typnamespace = 'queue'::regnamespace)
    then
      raise exception using
        errcode = 'OX006',
        message = 'schema "queue" exists, but is not Oxbow''s',
        hint = 'Rename that schema, or install Oxbow into another database.';
    end if;
    return;
  end if;

  v_installed := queue.version();
  if string_to_array(v_installed, '.')::integer[] > string_to_array('@version@', '.')::integer[] then
    raise exception using
      errcode = 'OX006',
      message = format('the database has Oxbow %s, which is newer than @version@', v_installed),
      hint = 'Install the newer release of Oxbow here; a database is never taken back.';
  end if;
end
$guard$;
