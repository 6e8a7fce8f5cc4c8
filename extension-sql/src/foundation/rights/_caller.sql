create or replace function queue._caller()
returns name
language sql
stable
parallel safe
as $function$
  select case pg_catalog.current_setting('role')
    when 'none' then session_user
    else pg_catalog.current_setting('role')::pg_catalog.name
  end
$function$;

comment on function queue._caller() is
$comment$The role of the session, for functions that run with the rights of their owner: the one of SET ROLE, else the one that logged in.
Returns its name.
Touches: nothing.$comment$;
