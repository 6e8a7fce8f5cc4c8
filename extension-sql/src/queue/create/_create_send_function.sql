create or replace function queue._create_send_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  case _create_send_function.kind
    when 'standard' then
      execute format($sql$
        create or replace function queue.%1$I(messages jsonb[], delay interval, headers jsonb[])
        returns bigint[]
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        declare
          v_msg_ids bigint[];
        begin
          with inserted as (
            insert into queue.%2$I as m (visible_at, enqueued_at, message, headers)
            select n.now + delay, n.now, i.message, i.headers
            from (select clock_timestamp()) as n (now)
            cross join unnest(messages, headers) with ordinality as i (message, headers, position)
            order by i.position
            returning m.msg_id
          )
          select array_agg(inserted.msg_id) into v_msg_ids from inserted;
          return v_msg_ids;
        end
        $body$
      $sql$, '_send_q_' || _create_send_function.name, 'q_' || _create_send_function.name);

    when 'fifo' then
      execute format($sql$
        create or replace function queue.%1$I(
          messages           jsonb[],
          message_group_ids  text[],
          delay              interval,
          headers            jsonb[],
          sees_heads         boolean,
          out msg_ids         bigint[],
          out headed_groups   text[],
          out heads           bigint[],
          out least_id        bigint,
          out has_marks       boolean
        )
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        begin
          select o.least_id
          into least_id
          from queue.id_mark as o
          where o.queue_name = %3$L
          order by o.mark_id desc
          limit 1;

          with incoming as materialized (
            select i.position, i.message_group_id, i.message, i.headers, marked.empty_below
            from unnest(messages, message_group_ids, headers) with ordinality
              as i (message, message_group_id, headers, position)
            left join lateral (
              select g.empty_below
              from queue.group_mark as g
              where g.queue_name = %3$L
                and g.message_group_id = i.message_group_id
              order by g.mark_id desc
              limit 1
            ) as marked on true
          ),
          inserted as (
            insert into queue.%2$I as m (visible_at, enqueued_at, head, message_group_id, message, headers)
            select n.now + delay, n.now,
              sees_heads and row_number() over (partition by i.message_group_id order by i.position) = 1
              and (
                -- Newest first: in a group that is not empty, the head exists. A comparison of rows, which only the
                -- index of heads can answer: through the primary key the planner would read the dead entries of all
                -- groups.
                select h.msg_id
                from queue.%2$I as h
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
                from queue.%2$I as w
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
      $sql$, '_send_q_' || _create_send_function.name, 'q_' || _create_send_function.name, _create_send_function.name);
  end case;
end
$function$;

comment on function queue._create_send_function(text, text) is
$comment$Creates the function that appends messages to one queue: see _create_queue_functions().
For a standard queue, it returns the message ids, in order. For a FIFO queue, whose groups the caller has locked, it takes one group per message, and sees_heads: false if the snapshot is older than the locks, so that no message becomes a head. It returns the ids; the groups that got a head, and these heads; least_id, the mark of the queue from which it searched the groups; and whether a group had its own mark.
Touches: creates queue._send_q_<name>.$comment$;
