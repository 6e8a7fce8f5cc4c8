create or replace function queue._end_lost_leases(receipts bigint[], known jsonb[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_run_ids constant bigint[] := array(
    select queue._receipt_msg_id(i.receipt)
    from unnest(receipts) with ordinality as i (receipt, item)
    order by i.item
  );
  v_items   integer[];
begin
  v_items := queue._find_lost_tails(v_run_ids, array_fill(true, array[cardinality(receipts)]), known, null, null);
  if v_items = array[]::integer[] then
    return;
  end if;
  perform queue._give_back_runs(array(
    select m.msg_id
    from unnest(v_items) as i (item)
    join queue.workflow_continuation as m
      on m.msg_id = v_run_ids[i.item]
      and m.receipt = receipts[i.item]
    order by m.msg_id
    for no key update of m skip locked
  ));
end
$function$;

comment on function queue._end_lost_leases(bigint[], jsonb[]) is
$comment$Ends the leases of runs whose worker got a successful answer for a commit that a crash or failover has lost.
known: as in workflow_commit().
Touches: queue.workflow_continuation (SKIP LOCKED); reads as _find_lost_tails().$comment$;
