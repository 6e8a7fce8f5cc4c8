create or replace function queue._is_message_path(path jsonb)
returns boolean
language sql
immutable
parallel safe
as $function$
  select pg_catalog.jsonb_typeof(path) operator(pg_catalog.=) 'string'
    and path operator(pg_catalog.#>>) '{}' operator(pg_catalog.~) '^([^.]+)([.][^.]+)*$'
$function$;

comment on function queue._is_message_path(jsonb) is
$comment$Returns whether a JSON value is a path into a message: a string of keys separated by ".", or "$" for the whole message.$comment$;
