create or replace function queue._claim_runs(
  names        text[],
  versions     jsonb,
  max_runs     integer,
  claim_at     timestamptz,
  lease        interval,
  is_first     boolean,
  suspects     integer,
  has_suspects boolean
)
returns queue.claimed_runs
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  -- Ten, with the two workers that died before the run became a suspect.
  v_max_deaths   constant integer := 8;
  -- A hundred, with the first one.
  v_max_restarts constant integer := 99;
  v_parts        constant queue.ready_parts := queue._ready_parts(names, versions, claim_at);
  v_claimed      queue.claimed_runs;
  v_found        queue.claimed_runs;
  v_part_of      integer[];
  v_found_of     integer[];
  v_lapsed       bigint;
  v_took         interval;
begin
  -- Suspects first: with a backlog, they would never be received.
  if has_suspects then
    v_claimed := queue._claim_suspect(v_parts, claim_at, lease, suspects is not null);
  end if;

  -- Repeated only if suspects were found among the others; they are set aside here.
  for v_round in 1 .. 100 loop
    exit when cardinality(v_claimed.run_ids) >= max_runs;
    -- One index range per version, so that the backlog of an unserved version is never read.
    with due as materialized (
      select m.ctid, p.part::integer as part, m.receipt is null and m.settled_receipt is null as is_fresh,
        (queue._paused_until(m.headers) > claim_at) is true as is_paused,
        m.receipt is not null and m.read_ct >= 2 and not (m.headers ? 'paused') is true as is_suspect
      from unnest(v_parts.queue_ids, v_parts.versions, v_parts.froms) with ordinality
        as p (queue_id, version, ready_from, part)
      cross join lateral (
        select t.ctid, t.receipt, t.settled_receipt, t.read_ct, t.headers
        from queue.workflow_continuation as t
        where t.queue_id = p.queue_id
          and t.version = p.version
          and t.visible_at between p.ready_from and claim_at
        order by t.visible_at
        limit max_runs - coalesce(cardinality(v_claimed.run_ids), 0)
        for no key update skip locked
      ) as m
      limit max_runs - coalesce(cardinality(v_claimed.run_ids), 0)
    ),
    claimed as (
      update queue.workflow_continuation as m
      set receipt = case
          when due.is_paused or due.is_suspect then m.receipt
          else queue._new_receipt(m.msg_id, m.receipt)
        end,
        visible_at = case
          when due.is_paused then greatest(queue._paused_until(m.headers), clock_timestamp())
          when due.is_suspect then greatest(clock_timestamp(), (
            select coalesce(r.deadline, 'infinity') from queue.workflow_run as r where r.run_id = m.msg_id
          ))
          else (select clock_timestamp()) + lease
        end,
        suspect_at = case
          -- A caller that passes no number of suspects takes it immediately.
          when due.is_suspect and suspects is null then claim_at
          -- A quarter of a lease at first, and 1.4 times as long each time, at most an hour or one lease: its worker can still
          -- commit a run that blocks it for longer than a lease, and one that restarts repeatedly receives it ever less often.
          when due.is_suspect then m.visible_at + least(
            lease * (power(2, least(m.read_ct - 2, 30) / 2.0::double precision) / 4), greatest(lease, interval '1 hour')
          )
        end,
        deaths = case when due.is_suspect and m.suspect_at = 'infinity' then m.deaths || m.receipt else m.deaths end,
        headers = case when due.is_paused then queue._due_after_pause(m.headers, claim_at) else m.headers end,
        read_ct = m.read_ct + case when due.is_paused or due.is_suspect then 0 else 1 end
      from due
      where m.ctid = due.ctid
      returning m.msg_id, m.receipt, m.read_ct, m.deaths,
        m.read_ct > 1 and m.restarts >= v_max_restarts as is_over,
        case
          when m.headers ? 'cancelled' then m.message || jsonb_build_object('cancelled', m.headers -> 'cancelled')
          else m.message
        end as message,
        due.is_fresh, due.is_paused, due.is_suspect, due.part
    )
    select array_agg(c.msg_id) filter (where not c.is_suspect),
      array_agg(c.receipt) filter (where not c.is_suspect),
      array_agg(c.read_ct) filter (where not c.is_suspect),
      array_agg(c.message) filter (where not c.is_suspect),
      array_agg(c.is_fresh) filter (where not c.is_suspect),
      array_agg(c.msg_id) filter (
        where r.deadline <= claim_at
          or c.is_suspect and cardinality(c.deaths) >= v_max_deaths
          or c.is_over
      ),
      array_agg(queue._json_size(r.input)::bigint) filter (where not c.is_suspect),
      array_agg(c.part) filter (where not c.is_suspect),
      count(*) filter (where c.is_suspect)
    into v_found.run_ids, v_found.receipts, v_found.attempts, v_found.continuations, v_found.is_fresh,
      v_found.must_end, v_found.sizes, v_found_of, v_lapsed
    from claimed as c
    join queue.workflow_run as r on r.run_id = c.msg_id
    where not c.is_paused;

    if v_claimed.run_ids is null and v_claimed.must_end is null then
      v_claimed := v_found;
    else
      v_claimed := queue._join_claims(v_claimed, v_found);
    end if;
    v_part_of := v_part_of || v_found_of;
    exit when v_lapsed = 0;
    if suspects is null and v_claimed.run_ids is null then
      v_found := queue._claim_suspect(v_parts, claim_at, lease, false);
      v_claimed := queue._join_claims(v_claimed, v_found);
    end if;
  end loop;

  v_claimed.limited := v_parts.limited;
  v_took := clock_timestamp() - claim_at;
  for v_part in 1 .. coalesce(cardinality(v_parts.queue_ids), 0) loop
    if is_first and queue._is_mark_due(
      v_parts.marks[v_part], claim_at, v_took, coalesce(cardinality(array_positions(v_part_of, v_part)), 0)
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

comment on function queue._claim_runs(text[], jsonb, integer, timestamptz, interval, boolean, integer, boolean) is
$comment$Leases ready continuations. A run that was paused while its worker crashed is set aside instead. A run whose last two leases have expired becomes a suspect, which is received apart.
names, versions, suspects: as in workflow_receive().
claim_at: the current time.
lease: how long no other worker receives the runs.
is_first: claim_at was read before this transaction had an id.
has_suspects: the caller takes suspects, and some are visible.
Returns parallel arrays; null if nothing is ready.
Touches: queue.workflow_continuation (SKIP LOCKED), from the mark of the version on; queue.ready_mark now and then.$comment$;
