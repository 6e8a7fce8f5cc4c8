create or replace function queue._at_path(message jsonb, path text)
returns jsonb
language sql
immutable
parallel safe
as $function$
  select case path
    when '$' then message
    else message operator(pg_catalog.#>) pg_catalog.string_to_array(path, '.')
  end
$function$;

comment on function queue._at_path(jsonb, text) is
$comment$The value at a path into a message.
path: keys split by "."; a number counts elements of an array, from 0; "$" is the whole message.
Returns the value; SQL null when there is nothing at the path.
Touches: nothing.$comment$;
