create or replace function queue._lock_leases(run_ids bigint[], receipts bigint[], others bigint[])
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $function$
begin
  return (
    with locked as materialized (
      select w.item
      from (
        select i.run_id, i.receipt, i.item
        from unnest(run_ids, receipts) with ordinality as i (run_id, receipt, item)
        union all
        select o.run_id, null, null
        from unnest(others) as o (run_id)
      ) as w
      join queue.workflow_continuation as m
        on m.msg_id = w.run_id
        and (w.item is null or m.receipt = w.receipt)
      order by m.msg_id
      for no key update of m
    )
    select array_agg(locked.item is not null order by i.item)
    from unnest(run_ids) with ordinality as i (run_id, item)
    left join locked on locked.item = i.item
  );
end
$function$;

comment on function queue._lock_leases(bigint[], bigint[], bigint[]) is
$comment$Locks the continuations whose receipts are alive, and those of others, in the one order of run ids, so that two commits can't wait for each other.
others: runs that this commit reaches too: parents of those that it ends, and those that it signals; null is none.
Returns by position whether the lease is held.
Touches: continuations.$comment$;
