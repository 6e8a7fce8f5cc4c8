create or replace function queue._move_messages(source queue.queue_settings, target queue.queue_settings, max_messages integer)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_taken queue.delivery[];
  v_round record;
  v_moved bigint := 0::bigint;
begin
  -- In a FIFO queue, each round takes as many of each group as there is room for.
  loop
    v_taken := queue._take_messages(source, least(max_messages - v_moved, 1000)::integer, null, false, v_now);
    exit when v_taken is null;

    select count(*) as messages,
      array_agg(t.message order by t.msg_id) as bodies,
      array_agg(t.message_group_id order by t.msg_id) as group_ids,
      array_agg(t.headers order by t.msg_id) as headers,
      -- A delay that was written while the clock was ahead is shorter by that much.
      array_agg(greatest(coalesce(t.ready_at - greatest(t.enqueued_at, clock_timestamp()), '0'), '0') order by t.msg_id) as delays
    into v_round
    from (
      select t.*,
        case
          when t.visible_at < 'infinity' then t.visible_at
          -- It is held until its group leaves.
          when t.visible_at = 'infinity' then (
            select l.visible_at
            from queue.leaving_group as l
            where l.queue_name = (source).name
              and l.message_group_id = t.message_group_id
              and l.held_id = t.msg_id
          )
        end as ready_at
      from unnest(v_taken) as t
      where t.message is not null
    ) as t;

    if v_round.messages > 0 then
      case (target).kind
        when 'fifo' then
          perform queue._send_to_groups((target).name, v_round.bodies, v_round.group_ids, '0', v_round.headers, v_round.delays);
        when 'standard' then
          perform queue._send_messages((target).name, v_round.bodies, '0', v_round.headers, v_round.delays);
      end case;
    end if;
    perform queue._delete_messages(
      source, array(select t.receipt from unnest(v_taken) as t), v_now + interval '1 second'
    );
    v_moved := v_moved + v_round.messages;
    exit when v_moved >= max_messages;
  end loop;
  return v_moved;
end
$function$;

comment on function queue._move_messages(queue.queue_settings, queue.queue_settings, integer) is
$comment$Moves messages that are not in flight to another queue of the same kind: see move_messages().
Returns how many were moved.
Touches: the source queue's table (rows locked with SKIP LOCKED), the target queue's table; reads queue.leaving_group; advisory locks of groups of FIFO queues (waits).$comment$;
