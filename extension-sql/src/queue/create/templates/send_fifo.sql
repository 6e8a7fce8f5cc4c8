create or replace function queue.{function}(
  messages           jsonb[],
  message_group_ids  text[],
  delay              interval,
  headers            jsonb[],
  sees_heads         boolean,
  delays             interval[],
  out msg_ids         bigint[],
  out headed_groups   text[],
  out heads           bigint[],
  out least_id        bigint,
  out has_marks       boolean
)
language plpgsql
volatile
set search_path from current
as $body$
begin
  select o.least_id
  into least_id
  from queue.id_mark as o
  where o.queue_name = {queue}
  order by o.mark_id desc
  limit 1;

  with incoming as materialized (
    select i.position, i.message_group_id, i.message, i.headers, marked.empty_below
    from unnest(messages, message_group_ids, headers) with ordinality
      as i (message, message_group_id, headers, position)
    left join lateral (
      select g.empty_below
      from queue.group_mark as g
      where g.queue_name = {queue}
        and g.message_group_id = i.message_group_id
      order by g.mark_id desc
      limit 1
    ) as marked on true
  ),
  inserted as (
    insert into queue.{table} as m (visible_at, enqueued_at, head, message_group_id, message, headers)
    select n.now + coalesce(delays[i.position::integer], delay), n.now,
      sees_heads and row_number() over (partition by i.message_group_id order by i.position) = 1
      and (
        -- Newest first: in a group that is not empty, the head exists. A comparison of rows, which only the
        -- index of heads can answer: through the primary key the planner would read the dead entries of all
        -- groups.
        select h.msg_id
        from queue.{table} as h
        where h.head
          and (h.message_group_id, h.msg_id)
            between (i.message_group_id, coalesce(greatest(least_id, i.empty_below), -9223372036854775808))
            and (i.message_group_id, 9223372036854775807)
        order by h.message_group_id desc, h.msg_id desc
        limit 1
      ) is null
      -- The tombstone that a repeatable read transaction leaves is below all marks; its messages are not.
      and (
        select w.msg_id
        from queue.{table} as w
        where not w.head
          and (w.message_group_id, w.msg_id)
            between (i.message_group_id, coalesce(greatest(least_id, i.empty_below), -9223372036854775808))
            and (i.message_group_id, 9223372036854775807)
        order by w.message_group_id desc, w.msg_id desc
        limit 1
      ) is null,
      i.message_group_id, i.message, i.headers
    from (select clock_timestamp()) as n (now)
    cross join incoming as i
    order by i.position
    returning m.msg_id, m.message_group_id, m.head
  )
  select array_agg(inserted.msg_id), array_agg(inserted.message_group_id) filter (where inserted.head),
    array_agg(inserted.msg_id) filter (where inserted.head),
    exists (select from incoming as i where i.empty_below is not null)
  into msg_ids, headed_groups, heads, has_marks
  from inserted;
end
$body$
