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
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index, generic
as $function$
begin
  if skip_locked then
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
        for no key update of m skip locked
      )
      select array_agg(
        case
          when locked.item is null then (
            select case when bool_or(m.receipt = i.receipt) then null else 0 end
            from queue.workflow_continuation as m
            where m.msg_id = i.run_id
          )
          when i.known ? 'step' then coalesce((
            select 1 from queue.workflow_step as s where s.run_id = i.run_id and s.step_name = i.known ->> 'step'
          ), -1)
          when i.known = '{}' then 1
          else -1
        end
        order by i.item
      )
      from unnest(run_ids, receipts, known) with ordinality as i (run_id, receipt, known, item)
      left join locked on locked.item = i.item
    );
  end if;

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
    select array_agg(
      case
        when locked.item is null then 0
        when i.known ? 'step' then coalesce((
          select 1 from queue.workflow_step as s where s.run_id = i.run_id and s.step_name = i.known ->> 'step'
        ), -1)
        when i.known = '{}' then 1
        else -1
      end
      order by i.item
    )
    from unnest(run_ids, known) with ordinality as i (run_id, known, item)
    left join locked on locked.item = i.item
  );
end
$function$;

comment on function queue._lock_leases(bigint[], bigint[], bigint[], jsonb[], boolean) is
$comment$Locks the continuations whose receipts are alive, and those of others, in the one order of run ids, so that two commits can't wait for each other.
others: runs that this commit reaches too: parents of those that it ends, and those that it signals; null is none. known, skip_locked: as in workflow_commit().
Returns by position 1, where the lease is held, 0, where it isn't, -1, where it is, but _find_lost_tails() has to say whether what its worker knows is there, and null, where another transaction has locked its run.
Touches: continuations; reads queue.workflow_step.$comment$;
