-- Functions of two owners could not call each other, so an upgrade acts as the owner of the existing ones. A function that is
-- dropped and made again loses what users have granted on it, so that is noted.
do $keep$
declare
  v_owner   name;
  v_granted jsonb;
begin
  perform set_config('oxbow.role_before', current_setting('role'), true);
  select r.rolname into v_owner
  from pg_proc as p
  join pg_roles as r on r.oid = p.proowner
  where p.oid = to_regprocedure('queue.version()');
  if v_owner <> current_user then
    execute format('set local role %I', v_owner);
  end if;

  select jsonb_agg(jsonb_build_object('function', p.proname, 'grantee', a.grantee, 'is_grantable', a.is_grantable))
  into v_granted
  from pg_proc as p
  cross join lateral aclexplode(p.proacl) as a
  where p.pronamespace = 'queue'::regnamespace
    and a.grantee not in (0, p.proowner);
  perform set_config('oxbow.granted', coalesce(v_granted, '[]')::text, true);
end
$keep$;
