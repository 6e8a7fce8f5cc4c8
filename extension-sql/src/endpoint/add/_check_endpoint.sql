create or replace function queue._check_endpoint(url text, concurrency integer)
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if (url ~ '^https?://[^\s/?#]+([/?#]\S*)?$' and length(url) <= 2048) is not true then
    perform queue._raise('OX004', format('invalid url "%s"', coalesce(left(queue._masked_url(url), 100), 'null')), null,
      'Use the url of a function, such as https://example.org/api/oxbow, of at most 2048 characters.');
  end if;
  if (concurrency between 1 and 1000) is not true then
    perform queue._raise('OX004', format('invalid concurrency %s', coalesce(concurrency::text, 'null')), null,
      'A server pushes between 1 and 1000 runs to an endpoint at a time.');
  end if;
end
$function$;

comment on function queue._check_endpoint(text, integer) is
$comment$Checks the arguments of endpoint_add().
Errors: OX004 invalid argument.
Touches: nothing.$comment$;
