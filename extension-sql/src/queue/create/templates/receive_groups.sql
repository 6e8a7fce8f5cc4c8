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
  max_per_group  integer,
  max_receives   integer,
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
declare
  v_left    integer := max_messages;
  v_room    bigint := max_bytes;
  -- Groups are locked until the transaction ends, so no more than are needed if they are full.
  v_limit   integer := least(100, (max_messages + max_per_group - 1) / max_per_group);
  v_skipped bigint[] := excluded;
  v_heads   bigint[];
  v_behind  bigint[];
  v_claimed bigint[];
  v_bytes   bigint;
begin
  loop
    -- A tombstone is not received, but resolved, and messages in flight behind it do not matter to that.
    select array_agg(ready.msg_id)
    into v_heads
    from (
      select m.msg_id
      from queue.{table} as m
      where m.head
        and m.visible_at between ready_from and claim_at
        and (matching is null or m.message is null or m.message @> matching)
        and m.msg_id <> all (v_skipped)
        and (
          m.message is null
          or not exists (
            select
            from (
              select w.receipt, w.visible_at
              from queue.{table} as w
              where (w.message_group_id, w.msg_id) > (m.message_group_id, m.msg_id)
                and (w.message_group_id, w.msg_id) <= (m.message_group_id, 9223372036854775807)
                and not w.head
              order by w.message_group_id, w.msg_id
              limit 9
            ) as behind
            where behind.receipt is not null
              and behind.visible_at > claim_at
              and behind.visible_at < 'infinity'
          )
        )
      order by m.visible_at, m.msg_id
      limit v_limit
      for no key update of m skip locked
    ) as ready;
    exit when v_heads is null;

    -- A row that another transaction has locked, which acknowledges or postpones it, ends what is received of its group.
    v_behind := null;
    if max_per_group > 1 then
      select array_agg(b.msg_id)
      into v_behind
      from (
        select w.msg_id
        from queue.{table} as w
        where w.msg_id = any (array(
            select behind.msg_id
            from unnest(v_heads) as h (msg_id)
            join queue.{table} as m on m.msg_id = h.msg_id
            cross join lateral (
              select w.msg_id
              from queue.{table} as w
              where (w.message_group_id, w.msg_id) > (m.message_group_id, m.msg_id)
                and (w.message_group_id, w.msg_id) <= (m.message_group_id, 9223372036854775807)
                and not w.head
              order by w.message_group_id, w.msg_id
              limit max_per_group - 1
            ) as behind
            where m.message is not null
          ))
          and w.visible_at <= claim_at
          and w.message is not null
          and (matching is null or w.message @> matching)
        for no key update of w skip locked
      ) as b;
    end if;

    -- A new snapshot, which has all that was committed before the locks: no other transaction receives from these groups.
    with looked_at as materialized (
      select h.place, true as is_head, true as is_locked, m.msg_id, m.visible_at, m.receipt, m.ctid, m.message is null as is_tombstone,
        queue._json_size(m.message) + queue._json_size(m.headers) as size,
        m.read_ct, m.spared, coalesce(m.enqueued_at < expired_before, false) as is_expired
      from unnest(v_heads) with ordinality as h (msg_id, place)
      join queue.{table} as m on m.msg_id = h.msg_id
      union all
      select h.place, false, behind.msg_id = any (v_behind), behind.msg_id, behind.visible_at, behind.receipt, behind.ctid, false,
        behind.size, behind.read_ct, behind.spared, coalesce(behind.enqueued_at < expired_before, false)
      from unnest(v_heads) with ordinality as h (msg_id, place)
      join queue.{table} as m on m.msg_id = h.msg_id
      cross join lateral (
        select w.msg_id, w.visible_at, w.receipt, w.ctid, w.read_ct, w.spared, w.enqueued_at,
          queue._json_size(w.message) + queue._json_size(w.headers) as size
        from queue.{table} as w
        where (w.message_group_id, w.msg_id) > (m.message_group_id, m.msg_id)
          and (w.message_group_id, w.msg_id) <= (m.message_group_id, 9223372036854775807)
          and not w.head
        order by w.message_group_id, w.msg_id
        limit 9
      ) as behind
    ),
    -- A message that may be put apart, dropped or moved to the dead letter queue is received as a head, and by itself of
    -- its group: what is behind it must not be delivered before that is decided. See _judge_redelivered().
    known as (
      select l.*,
        l.is_locked is true
          and not l.is_tombstone
          and not l.is_expired
          and (
            l.read_ct = 0
            or (l.receipt is not null and coalesce(l.spared, 0) >= 0 and s.spared >= 2) is not true
              and l.read_ct + 1 - s.spared <= max_receives
          ) as is_plain
      from looked_at as l
      cross join lateral (
        select case
          when l.spared < 0 then ~l.spared
          when l.receipt & 1 = 0 then coalesce(l.spared, 0) + 1
          else coalesce(l.spared, 0)
        end as spared
      ) as s
    ),
    ordered as (
      select k.*,
        bool_and(k.is_plain) over w as are_plain,
        row_number() over w as rank,
        coalesce(bool_or(not k.is_head and k.receipt is not null and k.visible_at > claim_at and k.visible_at < 'infinity')
          over (partition by k.place), false) as is_closed
      from known as k
      window w as (partition by k.place order by k.msg_id rows unbounded preceding)
    ),
    open as (
      select o.*,
        row_number() over w as number,
        sum(o.size) over w as total
      from ordered as o
      where o.is_head and o.is_tombstone
        or not o.is_closed and (o.is_head or o.are_plain and o.rank <= max_per_group)
      window w as (order by o.place, o.msg_id rows unbounded preceding)
    ),
    fitting as (
      select o.ctid, o.place, o.receipt, o.size
      from open as o
      where o.number <= v_left
        and o.total - o.size < v_room
    ),
    claimed as (
      update queue.{table} as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, is_alone),
        visible_at = (select clock_timestamp()) + lease,
        read_ct = m.read_ct + 1
      from fitting
      where m.ctid = fitting.ctid
      returning fitting.place, fitting.size, fitting.receipt as previous, m.message is null as is_tombstone,
        coalesce(m.enqueued_at < expired_before, false) as is_expired,
        m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, m.message_group_id, m.message, m.headers
    )
    select
      {function}.msg_ids || array_agg(c.msg_id) filter (where c.is_delivered),
      {function}.receipts || array_agg(c.receipt) filter (where c.is_delivered),
      {function}.read_cts || array_agg(c.read_ct) filter (where c.is_delivered),
      {function}.enqueued_ats || array_agg(c.enqueued_at) filter (where c.is_delivered),
      {function}.visible_ats || array_agg(c.visible_at) filter (where c.is_delivered),
      {function}.message_group_ids || array_agg(c.message_group_id) filter (where c.is_delivered),
      {function}.messages || array_agg(c.message) filter (where c.is_delivered),
      {function}.headers || array_agg(c.headers) filter (where c.is_delivered),
      {function}.previous || array_agg(c.previous) filter (where c.is_delivered and c.read_ct > 1),
      {function}.tombstones || array_agg(c.receipt) filter (where c.is_tombstone and not c.is_expired),
      {function}.expired || array_agg(c.receipt) filter (where c.is_expired),
      array_agg(c.msg_id), coalesce(sum(c.size), 0)
    into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, previous,
      tombstones, expired, v_claimed, v_bytes
    from (
      select claimed.*, not claimed.is_tombstone and not claimed.is_expired as is_delivered
      from claimed
      order by claimed.place, claimed.msg_id
    ) as c;

    v_left := v_left - coalesce(cardinality(v_claimed), 0);
    v_room := v_room - v_bytes;
    exit when v_left <= 0 or v_room <= 0 or cardinality(v_heads) < v_limit;
    v_skipped := v_skipped || array(
      select h.msg_id from unnest(v_heads) as h (msg_id) where h.msg_id <> all (coalesce(v_claimed, '{}'))
    );
    -- The next groups have about as many messages as these had.
    v_limit := greatest(1, least(100, v_left * cardinality(v_heads) / greatest(coalesce(cardinality(v_claimed), 0), 1)));
  end loop;
end
$body$
