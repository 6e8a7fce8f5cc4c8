-- Run once, in the database of POSTGRES_DB, when the volume is new. A role that is no superuser owns the functions,
-- which run as their owner.
create role oxbow_owner nologin;
create role oxbow_producer nologin;
create role oxbow_worker nologin;
create role oxbow_reader nologin;
create role oxbow_author nologin;
create role oxbow_publisher nologin;
create role oxbow_relay nologin;
create role oxbow_admin nologin;
do $$
begin
  execute format('grant create on database %I to oxbow_owner', current_database());
end
$$;

set role oxbow_owner;
create extension oxbow;
select queue.migrate();
reset role;
