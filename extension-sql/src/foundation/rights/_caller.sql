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
$comment$Returns the role of the session, for functions that run with the privileges of their owner: the role of SET ROLE, otherwise the one that logged in.$comment$;
