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
$comment$Returns the value at a path into a message.
path: keys separated by "."; a number is an index of an array, from 0; "$" is the whole message.
Returns the value; SQL null if it is missing.$comment$;
