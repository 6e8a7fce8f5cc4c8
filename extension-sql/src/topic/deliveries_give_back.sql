create or replace function queue.deliveries_give_back(receipts bigint[], delay_seconds numeric default 0)
returns setof bigint
language plpgsql
volatile
security definer
as $function$
begin
  return query
    select g.receipt
    from unnest(queue._give_back(
      queue._internal_queue('__http'), deliveries_give_back.receipts, deliveries_give_back.delay_seconds
    )) as g (receipt);
end
$function$;

comment on function queue.deliveries_give_back(bigint[], numeric) is
$comment$For servers: gives back deliveries that were not attempted. They do not count as attempts.
receipts: as returned by deliveries_receive().
delay_seconds: how long until another server can receive them, with fractions.
Returns the receipts that were alive, in no order.
Errors: OX001 no url has been subscribed yet, OX004 invalid argument.
Touches: as give_back_batch(), queue __http.$comment$;
