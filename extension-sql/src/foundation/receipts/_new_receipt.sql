create or replace function queue._new_receipt(msg_id bigint, previous bigint)
returns bigint
language sql
as $function$
  select (msg_id operator(pg_catalog.<<) 20) operator(pg_catalog.|) (
    (
      (coalesce(previous, 0) operator(pg_catalog.&) 1048575)
      operator(pg_catalog.+) 1
      operator(pg_catalog.+) pg_catalog.floor(pg_catalog.random() operator(pg_catalog.*) 1048575)::bigint
    ) operator(pg_catalog.&) 1048575
  )
$function$;

comment on function queue._new_receipt(bigint, bigint) is
$comment$Returns the receipt of a new delivery: the message's id, followed by 20 random bits. A write finds its row by primary key and then compares the whole receipt. Inlined where it is used.
previous: the row's current receipt. The new bits always differ from it. An older receipt of the same message recurs with a probability of 1 in 1,048,575 per delivery; a counter would repeat with certainty after a crash.
Returns the receipt. A msg_id has up to 43 bits: a thousand messages per millisecond for 278 years.
Touches: nothing.$comment$;
