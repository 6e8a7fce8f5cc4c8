create or replace function queue._id_type(source regclass, id_column name)
returns regtype
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- Only built-in types: code of another one would run with the rights of the owner of these functions.
  return (
    select a.atttypid::regtype
    from pg_attribute as a
    where a.attrelid = source
      and a.attname = id_column
      and a.attnum > 0
      and not a.attisdropped
      and a.atttypid = any ('{text,varchar,uuid,int2,int4,int8}'::regtype[])
  );
end
$function$;

comment on function queue._id_type(regclass, name) is
$comment$Looks up the type of a column of ids.
Returns null if there is no such column, or if it has a type that is not one of those allowed.
Touches: nothing.$comment$;
