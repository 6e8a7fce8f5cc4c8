create or replace function queue._uncount_deaths(receipts bigint[])
returns void
language plpgsql
volatile
-- plans: index, generic
as $function$
begin
  with excused as materialized (
    select m.msg_id, i.receipt
    from unnest(receipts) as i (receipt)
    join queue.workflow_continuation as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and i.receipt = any (m.deaths)
    -- The caller may hold locks on others.
    for no key update of m skip locked
  )
  update queue.workflow_continuation as m
  set deaths = nullif(array_remove(m.deaths, excused.receipt), '{}')
  from excused
  where m.msg_id = excused.msg_id;
end
$function$;

comment on function queue._uncount_deaths(bigint[]) is
$comment$Removes deaths from the count of suspects whose workers turn out to be alive: they lost their leases while the database was unavailable or their event loop was blocked.
receipts: dead ones that a worker has just presented.
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;
