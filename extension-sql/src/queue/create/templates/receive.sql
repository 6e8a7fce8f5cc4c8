create or replace function queue.{function}(
  claim_at       timestamptz,
  ready_from     timestamptz,
  max_messages   integer,
  lease          interval,
  is_alone       boolean,
  matching       jsonb,
  excluded       bigint[],
  expired_before timestamptz,
  max_bytes      bigint,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[],
  out previous          bigint[],
  out tombstones        bigint[],
  out expired           bigint[]
)
language plpgsql
volatile
set search_path from current
as $body$
begin
  -- Joins by ctid: the rows are locked. One that was changed and committed since the snapshot is left for the next
  -- receive.
  with ready as materialized (
    select m.ctid, m.visible_at, m.receipt, queue._json_size(m.message) + queue._json_size(m.headers) as size
    from queue.{table} as m
    where {is_head}
      and m.visible_at between ready_from and claim_at
      and (matching is null or m.message is null or m.message @> matching)
      and m.msg_id <> all (excluded)
    order by m.visible_at, m.msg_id
    limit max_messages
    for no key update skip locked
  ),
  -- As many as one answer can carry, and one at least. In the order of the ready ones: a window needs no separate sort.
  fitting as (
    select r.ctid, r.visible_at, r.receipt
    from (select ready.*, sum(ready.size) over (rows unbounded preceding) as total from ready) as r
    where r.total - r.size < max_bytes
  ),
  claimed as (
    update queue.{table} as m
    set receipt = queue._message_receipt(m.msg_id, m.receipt, is_alone),
      visible_at = (select clock_timestamp()) + lease,
      read_ct = m.read_ct + 1
    from fitting
    where m.ctid = fitting.ctid
    returning fitting.visible_at as ready_at, fitting.receipt as previous, m.message is null as is_tombstone,
      coalesce(m.enqueued_at < expired_before, false) as is_expired,
      m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, {group} as message_group_id, m.message, m.headers
  )
  select
    array_agg(c.msg_id) filter (where c.is_delivered),
    array_agg(c.receipt) filter (where c.is_delivered),
    array_agg(c.read_ct) filter (where c.is_delivered),
    array_agg(c.enqueued_at) filter (where c.is_delivered),
    array_agg(c.visible_at) filter (where c.is_delivered),
    array_agg(c.message_group_id) filter (where c.is_delivered),
    array_agg(c.message) filter (where c.is_delivered),
    array_agg(c.headers) filter (where c.is_delivered),
    array_agg(c.previous) filter (where c.is_delivered and c.read_ct > 1),
    array_agg(c.receipt) filter (where c.is_tombstone and not c.is_expired),
    array_agg(c.receipt) filter (where c.is_expired)
  into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, previous,
    tombstones, expired
  from (
    select claimed.*, not claimed.is_tombstone and not claimed.is_expired as is_delivered
    from claimed
    order by claimed.ready_at, claimed.msg_id
  ) as c;
end
$body$
