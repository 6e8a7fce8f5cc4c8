create or replace function queue._has_value("values" anyarray)
returns boolean
language sql
immutable
parallel safe
as $function$
  select coalesce(pg_catalog.array_remove("values", null) operator(pg_catalog.<>) '{}', false)
$function$;

comment on function queue._has_value(anyarray) is
$comment$Returns whether an array has an element that is not null. Inlined where it is used: such a condition is no statement.
Returns true or false; false for null.$comment$;
