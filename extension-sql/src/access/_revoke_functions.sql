create or replace function queue._revoke_functions(grantee text, role_name name)
returns void
language plpgsql
volatile
as $function$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid::regprocedure
    from pg_proc as p
    cross join lateral aclexplode(p.proacl) as a
    where p.pronamespace = 'queue'::regnamespace
      and a.grantee = to_regrole(quote_ident(role_name))
      and not exists (
        select
        from queue._privileges() as m
        where m.grantee = _revoke_functions.grantee
          and m.function_name = p.proname
      )
    order by p.proname
  loop
    execute format('revoke execute on function %s from %I', v_function, role_name);
  end loop;
end
$function$;

comment on function queue._revoke_functions(text, name) is
$comment$Revokes from a role what the matrix does not give a grantee any more: a function that is replaced keeps the privileges that an older release has granted.
grantee: as in _privileges().
Touches: privileges of functions.$comment$;
