create or replace function queue._message_receipt(msg_id bigint, previous bigint, is_alone boolean)
returns bigint
language sql
as $function$
  select (msg_id operator(pg_catalog.<<) 20) operator(pg_catalog.|) (
    (
      (
        (coalesce(previous operator(pg_catalog.>>) 1, 0) operator(pg_catalog.&) 524287)
        operator(pg_catalog.+) 1
        operator(pg_catalog.+) pg_catalog.floor(pg_catalog.random() operator(pg_catalog.*) 524287)::bigint
      ) operator(pg_catalog.&) 524287
    ) operator(pg_catalog.<<) 1
  ) operator(pg_catalog.|) is_alone::integer
$function$;

comment on function queue._message_receipt(bigint, bigint, boolean) is
$comment$Makes the receipt of a delivery of a message, like _new_receipt(), whose lowest bit states whether the message was received by itself: then the delivery counts towards max_receives when its lease expires. Inlined where it is used.
previous: the row's receipt so far. The other 19 random bits always differ from it.
Returns the receipt.
Touches: nothing.$comment$;
