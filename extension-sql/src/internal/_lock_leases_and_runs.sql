create or replace function queue._lock_leases_and_runs(
  name     text,
  names    text[],
  run_ids  bigint[],
  receipts bigint[],
  held     boolean[],
  others   bigint[]
)
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_held boolean[];
begin
  if queue._workflow_table(name) is null then
    return held;
  end if;
  execute format($sql$
    with locked as materialized (
      select w.item
      from (
        select i.run_id, i.receipt, i.item
        from unnest($2, $3, $4) with ordinality as i (name, run_id, receipt, item)
        where i.name = $1
        union all
        select o.run_id, null, null
        from unnest($6) as o (run_id)
      ) as w
      join %1$s as m
        on m.msg_id = w.run_id
        and (w.item is null or m.receipt = w.receipt)
      order by m.msg_id
      for no key update of m
    )
    select array_agg(h.held or locked.item is not null order by h.item)
    from unnest($5) with ordinality as h (held, item)
    left join locked on locked.item = h.item
  $sql$, queue._workflow_table(name))
  into v_held
  using name, names, run_ids, receipts, held, others;
  return v_held;
end
$function$;

comment on function queue._lock_leases_and_runs(text, text[], bigint[], bigint[], boolean[], bigint[]) is
$comment$As _lock_leases(), for a commit that reaches other runs too: the parents of those that it ends, and those that it signals. They are locked in the one order of run ids, so that two such commits can't wait for each other.
others: run ids, of any workflow.
Returns held with this workflow's added.
Touches: continuations.$comment$;
