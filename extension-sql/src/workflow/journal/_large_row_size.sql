create or replace function queue._large_row_size(output jsonb, error jsonb, decisions jsonb)
returns integer
language sql
stable
parallel safe
as $function$
  select case
    when decisions is null then coalesce(queue._large_size(output), queue._large_size(error))
    else nullif(
      coalesce(queue._large_size(output), queue._large_size(error), 0)
        operator(pg_catalog.+) coalesce(queue._large_size(decisions), 0),
      0
    )
  end
$function$;

comment on function queue._large_row_size(jsonb, jsonb, jsonb) is
$comment$Returns the size of the large values of a journal row, as its column bytes has it.
Returns bytes; null if no value has more than 2,000 bytes.$comment$;
