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
$comment$Makes the receipt of a delivery: the message's id, and below it 20 bits drawn anew, so that a write finds its row by primary key and then compares the whole receipt. Inlined where it is used.
previous: the row's receipt so far. The bits always differ from it; an older receipt of the same message comes back with one chance in 1,048,575 a delivery, and a counter's certain repetition after a crash cannot happen.
Returns the receipt. A msg_id fits in 43 bits: a thousand messages a millisecond for 278 years.
Touches: nothing.$comment$;
