create or replace function queue._check_page(max_runs integer)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if (max_runs between 1 and 10000) is not true then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Request between 1 and 10000 runs at a time.');
  end if;
end
$function$;

comment on function queue._check_page(integer) is
$comment$Checks the size of a page.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;
