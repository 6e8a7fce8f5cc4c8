create or replace function queue._large_size(value jsonb)
returns integer
language sql
stable
parallel safe
as $function$
  select case
    when pg_catalog.pg_column_size(value) operator(pg_catalog.>) 2000
      or pg_catalog.pg_column_compression(value) is not null
    then queue._json_size(value)
  end
$function$;

comment on function queue._large_size(jsonb) is
$comment$Returns the size of a value that is large enough to count towards the size of a journal.
Returns bytes; null for null, and for a value of at most 2,000 bytes.$comment$;
