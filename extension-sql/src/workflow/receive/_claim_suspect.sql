create or replace function queue._claim_suspect(
  parts    queue.ready_parts,
  claim_at timestamptz,
  lease    interval,
  is_apart boolean
)
returns queue.claimed_runs
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  v_claimed queue.claimed_runs;
begin
  with due as materialized (
    select m.ctid, m.is_paused
    from unnest((parts).queue_ids, (parts).versions) as p (queue_id, version)
    cross join lateral (
      select t.ctid, (queue._paused_until(t.headers) > claim_at) is true as is_paused
      from queue.workflow_continuation as t
      where t.queue_id = p.queue_id
        and t.version = p.version
        and t.suspect_at <= claim_at
      order by t.suspect_at
      limit 1
      for no key update skip locked
    ) as m
    limit 1
  ),
  claimed as (
    update queue.workflow_continuation as m
    set receipt = case when due.is_paused then m.receipt else queue._new_receipt(m.msg_id, m.receipt) end,
      visible_at = case
        when due.is_paused then greatest(queue._paused_until(m.headers), clock_timestamp())
        else clock_timestamp() + lease
      end,
      suspect_at = case
        when due.is_paused then null
        when is_apart then 'infinity'
        -- The caller may execute other suspects: its death counts for one of them only.
        when not exists (
          select
          from queue.workflow_continuation as o
          where o.suspect_at = 'infinity'
            and o.visible_at > claim_at
        ) then timestamptz 'infinity'
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
      due.is_paused
  )
  select array_agg(c.msg_id), array_agg(c.receipt), array_agg(c.read_ct), array_agg(c.message), array_agg(false),
    array_agg(c.msg_id) filter (where r.deadline <= claim_at), array_agg(queue._json_size(r.input)::bigint)
  into v_claimed.run_ids, v_claimed.receipts, v_claimed.attempts, v_claimed.continuations, v_claimed.is_fresh,
    v_claimed.must_end, v_claimed.sizes
  from claimed as c
  join queue.workflow_run as r on r.run_id = c.msg_id
  where not c.is_paused;
  return v_claimed;
end
$function$;

comment on function queue._claim_suspect(queue.ready_parts, timestamptz, interval, boolean) is
$comment$Leases the run that has been a suspect for the longest time.
parts: the workflows and versions that the caller serves.
claim_at, lease: as in _claim_runs().
is_apart: the caller executes no other suspect.
Returns at most one run, in the form of _claim_runs().
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;
