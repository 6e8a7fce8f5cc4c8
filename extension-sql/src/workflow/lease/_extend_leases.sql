create or replace function queue._extend_leases(receipts bigint[], lease_end timestamptz, known jsonb[])
returns queue.extended_leases
language plpgsql
volatile
-- plans: index, nested loop, generic
as $function$
declare
  v_extended queue.extended_leases;
  v_taken    bigint[];
begin
  if known is not null then
    perform queue._end_lost_leases(receipts, known);
  end if;
  if lease_end is not null then
    with locked as materialized (
      select m.msg_id
      from unnest(receipts) as i (receipt)
      join queue.workflow_continuation as m
        on m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      order by m.msg_id
      for no key update of m skip locked
    ),
    extended as (
      update queue.workflow_continuation as m
      -- A worker whose lease had expired, and whose run no other worker has received, is alive after all.
      set visible_at = lease_end,
        suspect_at = case when m.suspect_at = 'infinity' then m.suspect_at end,
        deaths = case when m.suspect_at < 'infinity' then nullif(array_remove(m.deaths, m.receipt), '{}') else m.deaths end
      from locked
      where m.msg_id = locked.msg_id
      returning m.receipt
    )
    select coalesce(array_agg(extended.receipt), '{}') into v_taken from extended;
  end if;

  select coalesce(array_agg(m.receipt), '{}'),
    coalesce(array_agg(m.receipt) filter (where m.message -> 'waits' @> '[{"kind": "event"}]' and exists (
      select
      from queue.workflow_buffered_signal as b
      where b.run_id = m.msg_id
        and (
          queue._first_matching_wait(m.message -> 'waits', b.event, b.payload) is not null
          or starts_with(b.event, ' topic:')
        )
    ) or m.message -> 'waits' @> '[{"kind": "invoke"}]' and exists (
      -- Begins with the waits: a run may have many children that have ended.
      select
      from jsonb_array_elements(m.message -> 'waits') as w (wait)
      join queue.workflow_run as c
        on c.parent_run_id = m.msg_id
        and c.parent_step = w.wait ->> 'step'
      where w.wait ->> 'kind' = 'invoke'
        and c.status <> 'running'
    ) or coalesce(m.message -> 'waits' @? '$[*].route', false) and exists (
      select
      from queue.workflow_buffered_signal as b
      where b.run_id = m.msg_id
        and starts_with(b.event, ' child:')
    )), '{}'),
    coalesce(array_agg(m.receipt) filter (where m.headers ? 'paused'), '{}'),
    coalesce(array_agg(m.receipt) filter (
      where (m.headers #>> '{cancelled,receipt}')::bigint = m.receipt
    ), '{}'),
    null::bigint[]
  into v_extended
  from unnest(receipts) as i (receipt)
  join queue.workflow_continuation as m
    on m.msg_id = queue._receipt_msg_id(i.receipt)
    and m.receipt = i.receipt;
  if cardinality(v_taken) < cardinality(v_extended.held) then
    v_extended.busy := array(
      select h.receipt
      from unnest(v_extended.held) as h (receipt)
      where not h.receipt = any (v_taken)
    );
  end if;
  return v_extended;
end
$function$;

comment on function queue._extend_leases(bigint[], timestamptz, jsonb[]) is
$comment$Extends the leases of runs, without waiting for other transactions.
lease_end: the new end; null extends nothing. It applies even if the lease ended later before, because a clock that was ahead may have written that. A run whose lease had expired is no longer a suspect.
known: as in workflow_heartbeat().
Returns the receipts that are alive. busy: those of them whose leases were not extended, because another transaction has locked the run; null instead of an empty array.
Touches: queue.workflow_continuation, locked in the order of run ids with SKIP LOCKED; reads queue.workflow_buffered_signal and queue.workflow_run; as _end_lost_leases().$comment$;
