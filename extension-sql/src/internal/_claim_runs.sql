create or replace function queue._claim_runs(
  names     text[],
  versions  jsonb,
  max_runs  integer,
  claim_at  timestamptz,
  lease     interval,
  is_first  boolean
)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $function$
declare
  v_max_attempts constant integer := 10;
  v_parts        constant queue.ready_parts := queue._ready_parts(names, versions, claim_at);
  v_claimed      queue.claimed_runs;
  v_part_of      integer[];
begin
  -- One index range a version, so that a backlog of a version that nobody serves is never walked through.
  with due as materialized (
    select m.ctid, p.part::integer as part, m.receipt is null and m.settled_receipt is null as is_fresh,
      (m.headers ? 'paused' and queue._paused_until(m.headers) > claim_at) is true as is_paused
    from unnest(v_parts.queue_ids, v_parts.versions, v_parts.froms) with ordinality
      as p (queue_id, version, ready_from, part)
    cross join lateral (
      select t.ctid, t.receipt, t.settled_receipt, t.headers
      from queue.workflow_continuation as t
      where t.queue_id = p.queue_id
        and t.version = p.version
        and t.visible_at between p.ready_from and claim_at
      order by t.visible_at
      limit max_runs
      for no key update skip locked
    ) as m
    limit max_runs
  ),
  claimed as (
    update queue.workflow_continuation as m
    set receipt = case when due.is_paused then m.receipt else queue._new_receipt(m.msg_id, m.receipt) end,
      visible_at = case
        when due.is_paused then greatest(queue._paused_until(m.headers), clock_timestamp())
        else (select clock_timestamp()) + lease
      end,
      headers = case when due.is_paused then queue._due_after_pause(m.headers, claim_at) else m.headers end,
      read_ct = m.read_ct + case when due.is_paused then 0 else 1 end
    from due
    where m.ctid = due.ctid
    returning m.msg_id, m.receipt, m.read_ct,
      case
        when m.headers ? 'cancelled' then m.message || jsonb_build_object('cancelled', m.headers -> 'cancelled')
        else m.message
      end as message,
      due.is_fresh, due.is_paused, due.part
  )
  select array_agg(c.msg_id), array_agg(c.receipt), array_agg(c.read_ct), array_agg(c.message),
    array_agg(c.is_fresh),
    array_agg(c.msg_id) filter (where c.read_ct > v_max_attempts or r.deadline <= claim_at),
    array_agg(c.part)
  into v_claimed.run_ids, v_claimed.receipts, v_claimed.attempts, v_claimed.continuations, v_claimed.is_fresh,
    v_claimed.must_end, v_part_of
  from claimed as c
  join queue.workflow_run as r on r.run_id = c.msg_id
  where not c.is_paused;

  v_claimed.limited := v_parts.limited;
  for v_part in 1 .. coalesce(cardinality(v_parts.queue_ids), 0) loop
    if is_first and queue._is_mark_due(
      v_parts.marks[v_part], claim_at, coalesce(cardinality(array_positions(v_part_of, v_part)), 0)
    ) then
      perform queue._advance_ready_mark(
        v_parts.marks[v_part], v_parts.names[v_part], v_parts.versions[v_part],
        'queue.workflow_continuation'::regclass,
        format('m.queue_id = %s and m.version = %s', v_parts.queue_ids[v_part], v_parts.versions[v_part]), claim_at
      );
    end if;
  end loop;
  return v_claimed;
end
$function$;

comment on function queue._claim_runs(text[], jsonb, integer, timestamptz, interval, boolean) is
$comment$Leases ready continuations. One that was paused while its worker crashed is put aside instead.
names, versions: as in workflow_receive(). claim_at: the time to take as now. lease: how long nobody else gets them. is_first: claim_at was read before this transaction had an id.
Returns parallel arrays, null when nothing is ready.
Touches: continuations (locked with SKIP LOCKED), from the mark of their version on, which moves now and then.$comment$;
