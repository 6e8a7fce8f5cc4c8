create or replace function queue._take_messages(
  settings     queue.queue_settings,
  max_messages integer,
  message_ids  bigint[],
  only_letters boolean,
  free_at      timestamptz
)
returns queue.delivery[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop
as $function$
declare
  v_table constant regclass := queue._queue_table((settings).name);
  v_fits  constant text := $sql$
    (m.receipt is null or m.visible_at <= $2 or m.visible_at = 'infinity')
        and ($4 is null or m.msg_id = any ($4))
        and (not $5 or m.message is null or exists (
          select
          from queue.queue as q
          where q.name = m.headers #>> '{dead_letter,queue}'
            and q.dead_letter_queue = $1
            and (
              q.kind = 'standard'
              or length(m.headers #>> '{dead_letter,message_group_id}') between 1 and 512
            )
        ))
  $sql$;
  v_taken queue.delivery[];
begin
  case (settings).kind
    when 'standard' then
      execute format($sql$
        with free as materialized (
          select m.msg_id, m.receipt is null and m.visible_at > $2 as is_delayed
          from %1$s as m
          where %2$s
          order by m.msg_id
          limit $3
          for update skip locked
        ),
        taken as (
          update %1$s as m
          set receipt = queue._message_receipt(m.msg_id, m.receipt, true)
          where m.msg_id = any (array(select f.msg_id from free as f))
          returning row(
            m.msg_id, m.receipt, m.read_ct, m.enqueued_at,
            case when m.msg_id = any (array(select f.msg_id from free as f where f.is_delayed)) then m.visible_at end, null,
            m.message, m.headers
          )::queue.delivery as message
        )
        select array_agg(t.message) from taken as t
      $sql$, v_table, v_fits)
      into v_taken
      using (settings).name, free_at, max_messages, message_ids, only_letters;

    when 'fifo' then
      -- What was received together with its head closes the group: see receive_fifo().
      execute format($sql$
        with heads as materialized (
          select m.msg_id, m.message_group_id, m.message is null as is_tombstone,
            m.receipt is null and m.visible_at > $2 as is_delayed
          from %1$s as m
          where m.head
            and %2$s
            and not ($6 and m.message is not null and exists (
              select
              from (
                select w.receipt, w.visible_at
                from %1$s as w
                where (w.message_group_id, w.msg_id) > (m.message_group_id, m.msg_id)
                  and (w.message_group_id, w.msg_id) <= (m.message_group_id, 9223372036854775807)
                  and not w.head
                order by w.message_group_id, w.msg_id
                limit 9
              ) as behind
              where behind.receipt is not null
                and behind.visible_at > $2
                and behind.visible_at < 'infinity'
            ))
          order by %3$s
          limit $3
          for update of m skip locked
        ),
        behind as materialized (
          select h.msg_id as head_id, n.msg_id,
            bool_and(n.fits) over (partition by h.msg_id order by n.msg_id) as fits
          from heads as h
          cross join lateral (
            select m.msg_id, (%2$s) is true as fits
            from %1$s as m
            where (m.message_group_id, m.msg_id) > (h.message_group_id, h.msg_id)
              and (m.message_group_id, m.msg_id) <= (h.message_group_id, 9223372036854775807)
              and not m.head
            order by m.message_group_id, m.msg_id
            limit (select ($3 - count(*)) / greatest(count(*), 1) from heads as c)
          ) as n
          where not h.is_tombstone
        ),
        locked as materialized (
          select m.msg_id, m.receipt is null and m.visible_at > $2 as is_delayed
          from %1$s as m
          where m.msg_id = any (array(select b.msg_id from behind as b where b.fits))
            and not m.head
          for update skip locked
        ),
        -- Up to the first one that another transaction has locked.
        free as materialized (
          select h.msg_id
          from heads as h
          union all
          select b.msg_id
          from (
            select b.msg_id,
              bool_and(b.msg_id = any (array(select l.msg_id from locked as l)))
                over (partition by b.head_id order by b.msg_id) as is_next
            from behind as b
            where b.fits
          ) as b
          where b.is_next
        ),
        delayed as materialized (
          select h.msg_id from heads as h where h.is_delayed
          union all
          select l.msg_id from locked as l where l.is_delayed
        ),
        -- Rows are found by id, not by ctid: one that has changed since the snapshot must not be left out between the others.
        taken as (
          update %1$s as m
          set receipt = queue._message_receipt(m.msg_id, m.receipt, true)
          where m.msg_id = any (array(select f.msg_id from free as f))
          returning row(
            m.msg_id, m.receipt, m.read_ct, m.enqueued_at,
            case when m.msg_id = any (array(select d.msg_id from delayed as d)) then m.visible_at end, m.message_group_id,
            m.message, m.headers
          )::queue.delivery as message
        )
        select array_agg(t.message) from taken as t
      $sql$, v_table, v_fits,
        -- Letters are sent back in the order in which they died. Otherwise the ready index has the order: in that of ids, all
        -- heads would be read.
        case when only_letters then 'm.msg_id + 0' else 'm.visible_at, m.msg_id' end)
      into v_taken
      using (settings).name, free_at, max_messages, message_ids, only_letters, (settings).grouped_at is not null;
  end case;
  return v_taken;
end
$function$;

comment on function queue._take_messages(queue.queue_settings, integer, bigint[], boolean, timestamptz) is
$comment$Locks messages that are not in flight, for a caller that deletes them in the same transaction: the oldest ones of a standard queue, or of groups of a FIFO queue the oldest message and those directly behind it, in turns.
message_ids: takes only these messages; null takes any.
only_letters: takes only dead letters whose queue still has the given one as its dead letter queue.
free_at: takes messages whose leases had ended by then. A caller that takes messages in several rounds gives the same each time; otherwise it would meet the tombstones of an open transaction again and again.
Returns the messages, in no order, with receipts that are valid until the end of the transaction, and tombstones of a FIFO queue, which have no message; visible_at is when a delayed message becomes visible, and null for others. Null if no message can be taken.
Touches: the queue's table (rows locked with SKIP LOCKED).$comment$;
