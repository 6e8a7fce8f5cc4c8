create or replace function queue._lock_leases(
  run_ids     bigint[],
  receipts    bigint[],
  others      bigint[],
  known       jsonb[],
  skip_locked boolean
)
returns integer[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
begin
  -- The usual commit, with a statement at a third of the cost.
  if cardinality(run_ids) = 1 and others is null and not skip_locked then
    return array[coalesce((
      select case when s.run_id is not null or known[1] = '{}' then 1 else -1 end
      from queue.workflow_continuation as m
      left join queue.workflow_step as s
        on s.run_id = m.msg_id
        and s.step_name = known[1] ->> 'step'
      where m.msg_id = run_ids[1]
        and m.receipt = receipts[1]
      for no key update of m
    ), 0)];
  end if;

  return (
    select array_agg(
      case
        when not coalesce(i.is_locked, false) then
          case
            when skip_locked then (
              select case when bool_or(m.receipt = i.receipt) then null else 0 end
              from queue.workflow_continuation as m
              where m.msg_id = i.run_id
            )
            else 0
          end
        when s.run_id is not null or i.known = '{}' then 1
        else -1
      end
      order by i.item
    ) filter (where i.item is not null)
    from (
      select w.run_id, w.receipt, w.known, w.item,
        case
          when skip_locked then (
            select true
            from queue.workflow_continuation as m
            where m.msg_id = w.run_id
              and (w.item is null or m.receipt = w.receipt)
            for no key update skip locked
          )
          else (
            select true
            from queue.workflow_continuation as m
            where m.msg_id = w.run_id
              and (w.item is null or m.receipt = w.receipt)
            for no key update
          )
        end as is_locked
      from (
        select i.run_id, i.receipt, i.known, i.item
        from unnest(run_ids, receipts, known) with ordinality as i (run_id, receipt, known, item)
        union all
        select o.run_id, null, null, null
        from unnest(others) as o (run_id)
        order by run_id
      ) as w
      -- A fence: rows are locked in this order, whatever the statement does with them.
      offset 0
    ) as i
    left join queue.workflow_step as s
      on s.run_id = i.run_id
      and s.step_name = i.known ->> 'step'
  );
end
$function$;

comment on function queue._lock_leases(bigint[], bigint[], bigint[], jsonb[], boolean) is
$comment$Locks the continuations whose receipts are alive, and those of others, in the order of run ids, so that two commits can't deadlock.
others: runs that the commit also changes: parents of the runs that it ends, and runs that it signals; null instead of an empty array.
known, skip_locked: as in workflow_commit().
Returns an array by position: 1 if the lease is held; 0 if it is not; -1 if it is held but _find_lost_tails() must decide whether the known fact exists; null if another transaction has locked the run.
Touches: queue.workflow_continuation; reads queue.workflow_step.$comment$;
