create or replace function queue._grant_functions(grantee text, role_name name)
returns void
language plpgsql
volatile
as $function$
declare
  v_function regprocedure;
begin
  execute format('grant usage on schema queue to %I', role_name);
  for v_function in
    select p.oid::regprocedure
    from queue._privileges() as m
    join pg_proc as p
      on p.proname = m.function_name
      and p.pronamespace = 'queue'::regnamespace
    where m.grantee = _grant_functions.grantee
    order by p.proname
  loop
    execute format('grant execute on function %s to %I', v_function, role_name);
  end loop;
end
$function$;

comment on function queue._grant_functions(text, name) is
$comment$Grants a role the functions of one grantee of the matrix.
grantee: as in _privileges().
Touches: privileges of functions and of schema queue.$comment$;
