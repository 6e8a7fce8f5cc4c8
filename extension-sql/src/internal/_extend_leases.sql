create or replace function queue._extend_leases(receipts bigint[], lease_end timestamptz)
returns queue.extended_leases
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $function$
declare
  v_extended queue.extended_leases;
begin
  if lease_end is not null then
    with locked as materialized (
      select m.msg_id
      from unnest(receipts) as i (receipt)
      join queue.workflow_continuation as m
        on m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      order by m.msg_id
      for no key update of m
    )
    update queue.workflow_continuation as m
    -- Where its lease had expired, and nobody has received it since, its worker is alive after all.
    set visible_at = case when m.suspect_at < 'infinity' then lease_end else greatest(m.visible_at, lease_end) end,
      suspect_at = case when m.suspect_at = 'infinity' then m.suspect_at end,
      deaths = case when m.suspect_at < 'infinity' then nullif(array_remove(m.deaths, m.receipt), '{}') else m.deaths end
    from locked
    where m.msg_id = locked.msg_id;
  end if;

  select coalesce(array_agg(m.receipt), '{}'),
    coalesce(array_agg(m.receipt) filter (where m.message -> 'waits' @> '[{"kind": "event"}]' and exists (
      select
      from queue.workflow_buffered_signal as b
      where b.run_id = m.msg_id
        and queue._first_matching_wait(m.message -> 'waits', b.event, b.payload) is not null
    ) or m.message -> 'waits' @> '[{"kind": "invoke"}]' and exists (
      select
      from queue.workflow_run as c
      where c.parent_run_id = m.msg_id
        and c.status <> 'running'
        and m.message -> 'waits' @> jsonb_build_array(jsonb_build_object('kind', 'invoke', 'step', c.parent_step))
    )), '{}'),
    coalesce(array_agg(m.receipt) filter (where m.headers ? 'paused'), '{}'),
    coalesce(array_agg(m.receipt) filter (
      where (m.headers #>> '{cancelled,receipt}')::bigint = m.receipt
    ), '{}')
  into v_extended
  from unnest(receipts) as i (receipt)
  join queue.workflow_continuation as m
    on m.msg_id = queue._receipt_msg_id(i.receipt)
    and m.receipt = i.receipt;
  return v_extended;
end
$function$;

comment on function queue._extend_leases(bigint[], timestamptz) is
$comment$Extends the leases of runs.
lease_end: the new end; null leaves it. A lease is never shortened. A run whose lease had expired is no longer a suspect.
Returns the receipts that are alive.
Touches: continuations, locked in the order of run ids; reads queue.workflow_buffered_signal.$comment$;
