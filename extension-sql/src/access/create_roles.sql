create or replace function queue.create_roles()
returns setof text
language plpgsql
volatile
as $function$
declare
  v_may_create constant boolean := coalesce(
    (select r.rolsuper or r.rolcreaterole from pg_roles as r where r.rolname = current_user), false
  );
  v_role       text;
  v_grant      record;
begin
  -- PostgreSQL lets no two transactions change the privileges of one function at a time.
  if to_regclass('queue.name_lock') is not null then
    perform queue._lock_name('privileges');
  end if;
  foreach v_role in array array[
    'oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin', 'oxbow_author', 'oxbow_publisher',
    'oxbow_relay'
  ] loop
    if to_regrole(v_role) is null and v_may_create then
      begin
        execute format('create role %I nologin', v_role);
      exception
        -- Roles belong to the whole cluster: a session in another database has just created it.
        when duplicate_object or unique_violation then
          null;
      end;
    end if;

    if to_regrole(v_role) is null then
      return next v_role;
    else
      perform queue._revoke_functions(v_role, v_role::name);
      perform queue._grant_functions(v_role, v_role::name);
    end if;
  end loop;

  if to_regclass('queue.queue_grant') is not null then
    for v_grant in
      select distinct g.privilege, g.role_name
      from queue.queue_grant as g
      join pg_roles as r on r.rolname = g.role_name
      order by g.role_name, g.privilege
    loop
      perform queue._grant_functions(v_grant.privilege, v_grant.role_name);
    end loop;
  end if;
end
$function$;

comment on function queue.create_roles() is
$comment$Creates the roles of Oxbow that are missing, if the caller has CREATEROLE, and grants them their functions, and no others: oxbow_producer sends, publishes, starts, signals and cancels; oxbow_worker receives, acknowledges and commits; oxbow_reader reads; oxbow_author edits drafts of definitions; oxbow_publisher publishes, pauses, archives and deletes definitions; oxbow_relay moves items between shards; oxbow_admin may call everything. No role has privileges on tables. Installation and upgrade call this. Call it again, as the owner of the functions, if the roles were created later.
Returns the roles that are still missing.
Touches: queue.name_lock (waits); roles of the cluster; privileges of functions and of schema queue; reads queue.queue_grant.$comment$;
