-- Oxbow's roles get what the matrix of this release gives them, and no more.
do $keep$
declare
  v_grant record;
begin
  for v_grant in
    select p.oid::regprocedure as function, r.rolname as grantee,
      case when g.is_grantable then 'with grant option' else '' end as option
    from jsonb_to_recordset(current_setting('oxbow.granted')::jsonb) as g (function name, grantee oid, is_grantable boolean)
    join pg_roles as r on r.oid = g.grantee
    join pg_proc as p
      on p.proname = g.function
      and p.pronamespace = 'queue'::regnamespace
    where not exists (select from queue._privileges() as m where m.grantee = r.rolname)
  loop
    execute format('grant execute on function %s to %I %s', v_grant.function, v_grant.grantee, v_grant.option);
  end loop;
  perform set_config('role', current_setting('oxbow.role_before'), true);
end
$keep$;
