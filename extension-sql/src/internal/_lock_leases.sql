create or replace function queue._lock_leases(
  name     text,
  names    text[],
  run_ids  bigint[],
  receipts bigint[],
  held     boolean[]
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
      select i.item
      from unnest($2, $3, $4) with ordinality as i (name, run_id, receipt, item)
      join %1$s as m
        on m.msg_id = i.run_id
        and m.receipt = i.receipt
      where i.name = $1
      order by m.msg_id
      for no key update of m
    )
    select array_agg(h.held or locked.item is not null order by h.item)
    from unnest($5) with ordinality as h (held, item)
    left join locked on locked.item = h.item
  $sql$, queue._workflow_table(name))
  into v_held
  using name, names, run_ids, receipts, held;
  return v_held;
end
$function$;

comment on function queue._lock_leases(text, text[], bigint[], bigint[], boolean[]) is
$comment$Locks the continuations, of one workflow, whose receipts are alive, in the order of run ids.
held: by position, those locked so far.
Returns held with this workflow's added.
Touches: continuations.$comment$;
