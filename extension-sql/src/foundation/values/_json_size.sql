create or replace function queue._json_size(value jsonb)
returns integer
language sql
stable
parallel safe
as $function$
  select case
    when value is null then 0
    when pg_catalog.pg_column_compression(value) is null then pg_catalog.pg_column_size(value)
    else pg_catalog.octet_length(value::pg_catalog.text)
  end
$function$;

comment on function queue._json_size(jsonb) is
$comment$Estimates the size of a stored value as text, without reading a value that is stored uncompressed.
Returns bytes; 0 for null.$comment$;
