create or replace function queue._receipt_msg_id(receipt bigint)
returns bigint
language sql
as $function$
  select receipt operator(pg_catalog.>>) 20
$function$;

comment on function queue._receipt_msg_id(bigint) is
$comment$Returns the message that a receipt belongs to. Inlined, so that it serves as an index condition.
Touches: nothing.$comment$;
