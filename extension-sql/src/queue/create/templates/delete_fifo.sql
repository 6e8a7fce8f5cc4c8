create or replace function queue.{function}(
  receipts        bigint[],
  retry_at        timestamptz,
  is_grouped      boolean,
  out deleted     bigint[],
  out is_promoted boolean
)
language plpgsql
volatile
set search_path from current
as $body$
declare
  v_msg_ids      bigint[];
  v_groups       text[];
  v_has_message  boolean[];
  v_enqueued_ats timestamptz[];
  v_may_promote  boolean[];
  v_are_locked   boolean[];
  v_are_heads    boolean[];
  v_least_id     bigint;
  v_promoted     text[];
begin
  -- A transaction that waits here, for another one that deletes the same messages, holds no lock on a group
  -- yet.
  with gone as (
    delete from queue.{table} as m
    where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest(receipts) as i (receipt)))
      and (m.receipt in (select i.receipt from unnest(receipts) as i (receipt))) is true
    returning m.msg_id, m.receipt, m.message_group_id, m.message is not null as has_message, m.enqueued_at, m.head
  )
  select coalesce(array_agg(g.receipt), '{}'), array_agg(g.msg_id), array_agg(g.message_group_id),
    array_agg(g.has_message), array_agg(g.enqueued_at), array_agg(g.head)
  into deleted, v_msg_ids, v_groups, v_has_message, v_enqueued_ats, v_are_heads
  from gone as g;
  is_promoted := false;
  if v_groups is null then
    return;
  end if;
  -- Messages that were received together with their head leave it where it is, and may have been all that it waited for.
  if false = any (v_are_heads) then
    select array_agg(g.msg_id), array_agg(g.message_group_id), array_agg(g.has_message), array_agg(g.enqueued_at)
    into v_msg_ids, v_groups, v_has_message, v_enqueued_ats
    from unnest(v_msg_ids, v_groups, v_has_message, v_enqueued_ats, v_are_heads)
      as g (msg_id, message_group_id, has_message, enqueued_at, is_head)
    where g.is_head;
    is_promoted := true;
    if v_groups is null then
      return;
    end if;
  end if;

  -- The locks come before the statement whose snapshot must contain everything sent under them.
  v_are_locked := queue._try_lock_groups_shared({queue}, v_groups);

  -- A group has one head with a message, but may have several tombstones, each of which would leave the
  -- promotion to the other.
  v_may_promote := v_has_message;
  if false = any (v_has_message) then
    v_may_promote := queue._try_lock_promotions({queue}, v_groups, v_has_message);
    select o.least_id
    into v_least_id
    from queue.id_mark as o
    where o.queue_name = {queue}
    order by o.mark_id desc
    limit 1;
    v_least_id := coalesce(v_least_id, 0);
  end if;

  -- The consumer of the next message may be acknowledging or postponing it, in another transaction. That is not waited
  -- for, and if it is acknowledged, another message is the next one: a tombstone stays until then.
  if is_grouped then
    with next as materialized (
      select g.position, n.msg_id
      from unnest(v_groups, v_msg_ids) with ordinality as g (message_group_id, msg_id, position)
      cross join lateral (
        select w.msg_id
        from queue.{table} as w
        where (w.message_group_id, w.msg_id) > (g.message_group_id, g.msg_id)
          and (w.message_group_id, w.msg_id) <= (g.message_group_id, 9223372036854775807)
          and not w.head
        order by w.message_group_id, w.msg_id
        limit 1
      ) as n
    ),
    free as materialized (
      select w.msg_id
      from queue.{table} as w
      where w.msg_id = any (array(select n.msg_id from next as n))
        and not w.head
      for no key update skip locked
    )
    select array_agg(k.may_promote and (k.msg_id is null or k.is_free) order by k.position)
    into v_may_promote
    from (
      select i.position, i.may_promote, i.msg_id, bool_or(i.is_free) over (partition by i.msg_id) as is_free
      from (
        select m.position, m.may_promote, n.msg_id, false as is_free
        from unnest(v_may_promote) with ordinality as m (may_promote, position)
        left join next as n on n.position = m.position
        union all
        select null, null, f.msg_id, true
        from free as f
      ) as i
    ) as k
    where k.position is not null;
  end if;

  -- Without the group's lock, an invisible message may be the next one. A visible message is the next one,
  -- because its sender has waited for earlier senders.
  with promoted as (
    -- A comparison of rows, which only the index of waiting messages can answer. When a tombstone is deleted,
    -- the group may have another head; when a head is deleted, it has no head.
    update queue.{table} as m
    set head = true,
      -- A delay that was written while the clock was ahead is shorter by that much.
      visible_at = case
        when m.enqueued_at > now.at then m.visible_at - (m.enqueued_at - now.at)
        else greatest(m.visible_at, now.at)
      end
    from (select clock_timestamp()) as now (at)
    cross join (
      select g.message_group_id, min(g.msg_id) as msg_id, not bool_or(g.has_message) as was_tombstone
      from unnest(v_groups, v_msg_ids, v_has_message, v_may_promote)
        as g (message_group_id, msg_id, has_message, may_promote)
      where g.may_promote
      group by g.message_group_id
    ) as gone
    cross join lateral (
      select waiting.ctid
      from queue.{table} as waiting
      where (waiting.message_group_id, waiting.msg_id) > (gone.message_group_id, gone.msg_id)
        and (waiting.message_group_id, waiting.msg_id) <= (gone.message_group_id, 9223372036854775807)
        and not waiting.head
      order by waiting.message_group_id, waiting.msg_id
      limit 1
    ) as next
    -- Joins by ctid: only a transaction that deletes the head of the group changes its waiting messages, or one that
    -- has leased them; then the next one is locked above.
    where m.ctid = next.ctid
      and (
        not gone.was_tombstone
        -- No EXISTS, for which the planner would read the heads of all groups. A head with a message is not
        -- below the mark, and another tombstone finds the head that this statement promotes.
        or (
          select other.msg_id
          from queue.{table} as other
          where other.head
            and (other.message_group_id, other.msg_id)
              between (gone.message_group_id, v_least_id) and (gone.message_group_id, 9223372036854775807)
          order by other.message_group_id desc, other.msg_id desc
          limit 1
        ) is null
      )
    returning m.message_group_id
  )
  select array_agg(promoted.message_group_id) into v_promoted from promoted;
  is_promoted := v_promoted is not null;

  if false = any (v_are_locked || v_may_promote) then
    -- An unknown receipt makes the tombstone count as in flight until then. A remaining tombstone keeps its
    -- age, which determines the growing intervals, and is then looked at together with others.
    insert into queue.{table} (msg_id, visible_at, enqueued_at, receipt, head, message_group_id)
    overriding system value
    select g.msg_id,
      greatest(
        n.now,
        case
          when r.looked_at < n.now + interval '100 milliseconds' then r.looked_at
          else date_bin('100 milliseconds', r.looked_at, '2000-01-01')
        end
      ),
      s.since, queue._new_receipt(g.msg_id, null), true, g.message_group_id
    from (select clock_timestamp()) as n (now)
    cross join unnest(v_groups, v_msg_ids, v_has_message, v_enqueued_ats, v_may_promote, v_are_locked)
      as g (message_group_id, msg_id, has_message, enqueued_at, may_promote, is_locked)
    cross join lateral (select case when g.has_message then n.now else g.enqueued_at end) as s (since)
    cross join lateral (
      select least(retry_at, n.now + greatest((n.now - s.since) / 2, interval '5 milliseconds'))
    ) as r (looked_at)
    where not g.may_promote
      or not g.is_locked and not g.message_group_id = any (coalesce(v_promoted, '{}'));
    -- The sender may have ended by now, and its notification came while this message was still in flight.
    is_promoted := is_promoted or found and retry_at <= clock_timestamp();
  end if;
end
$body$
