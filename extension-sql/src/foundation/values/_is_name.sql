create or replace function queue._is_name(name text)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select coalesce(
    char_length(_is_name.name) between 1 and 256
      and _is_name.name !~ '[\u0001-\u001f\u007f-\u009f]'
      and _is_name.name !~ '^ | $',
    false
  )
$function$;

comment on function queue._is_name(text) is
$comment$Returns whether a text is a valid name of an event or a schedule: 1 to 256 characters without control characters that neither begin nor end with a space.
Returns true or false, never null.$comment$;
