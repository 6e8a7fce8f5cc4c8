create or replace function queue._is_step_name(name text)
returns boolean
language sql
immutable
parallel safe
as $function$
  select pg_catalog.char_length(name) operator(pg_catalog.>=) 1
    and pg_catalog.char_length(name) operator(pg_catalog.<=) 512
    and name operator(pg_catalog.!~) '[\u0001-\u001f\u007f-\u009f]'
$function$;

comment on function queue._is_step_name(text) is
$comment$Returns whether a text is a valid name of a step, or key of a value: 1 to 512 characters without control characters. SDKs take 256, and name steps of their own after those. Inlined where it is used.
Returns true or false; null for null.$comment$;
