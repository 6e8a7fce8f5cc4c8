create or replace function queue._redrive_letters(settings queue.queue_settings, max_messages integer, message_ids bigint[])
returns bigint
language plpgsql
volatile
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_letters  queue.delivery[];
  v_source   record;
  v_redriven bigint := 0::bigint;
begin
  -- In a FIFO queue, each round takes as many of each group as there is room for.
  loop
    v_letters := queue._take_messages(
      settings, least(max_messages - v_redriven, 1000)::integer, message_ids, true, v_now
    );
    exit when v_letters is null;

    for v_source in
      select q.name, q.kind, count(*) as letters,
        array_agg(l.message order by l.msg_id) as messages,
        array_agg(l.headers #>> '{dead_letter,message_group_id}' order by l.msg_id) as group_ids,
        array_agg(
          nullif(
            l.headers - 'dead_letter' || jsonb_strip_nulls(
              jsonb_build_object('dead_letter', l.headers #> '{dead_letter,previous}')
            ),
            '{}'
          )
          order by l.msg_id
        ) as headers
      from unnest(v_letters) as l
      join queue.queue as q on q.name = l.headers #>> '{dead_letter,queue}'
      where l.message is not null
      group by q.name, q.kind
      order by q.name
    loop
      if v_source.kind = 'fifo' then
        perform queue._send_to_groups(v_source.name, v_source.messages, v_source.group_ids, '0', v_source.headers);
      else
        perform queue._send_messages(v_source.name, v_source.messages, '0', v_source.headers);
      end if;
      v_redriven := v_redriven + v_source.letters;
    end loop;

    perform queue._delete_messages(
      settings, array(select l.receipt from unnest(v_letters) as l), v_now + interval '1 second'
    );
  end loop;
  return v_redriven;
end
$function$;

comment on function queue._redrive_letters(queue.queue_settings, integer, bigint[]) is
$comment$Sends dead letters of a queue back to the queues that they came from: see redrive().
Returns how many were sent back.
Touches: the dead letter queue's table (rows locked with SKIP LOCKED), the source queues' tables, in the order of their names; advisory locks of groups of FIFO queues (waits).$comment$;
