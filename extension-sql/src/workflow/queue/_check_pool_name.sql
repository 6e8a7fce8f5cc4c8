create or replace function queue._check_pool_name(pool text)
returns void
language plpgsql
stable
as $function$
begin
  if (pool ~ '^[a-z0-9][a-z0-9_-]{0,41}$') is not true then
    perform queue._raise('OX003', format('invalid pool name "%s"', coalesce(left(pool, 100), 'null')), null,
      'A pool name is 1 to 42 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.');
  end if;
end
$function$;

comment on function queue._check_pool_name(text) is
$comment$Checks the name of a pool.
Errors: OX003 invalid name.$comment$;
