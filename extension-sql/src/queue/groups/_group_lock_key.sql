create or replace function queue._group_lock_key(queue text, message_group_id text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:group:' operator(pg_catalog.||) queue, 0) operator(pg_catalog.#)
    (pg_catalog.hashtext(message_group_id) operator(pg_catalog.&) 2047)
$function$;

comment on function queue._group_lock_key(text, text) is
$comment$Returns the key of the advisory lock that orders changes of the head of a message group.
A queue has 2048 such keys, so that a transaction with a hundred thousand groups does not exhaust the server's lock table. Groups that share a key sometimes wait for each other.
Touches: nothing.$comment$;
