create or replace function queue.redrive(
  dead_letter_queue text,
  max_messages      integer default 1000,
  message_ids       bigint[] default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    queue.queue_settings;
  v_letters  queue.delivery[];
  v_source   record;
  v_redriven bigint := 0::bigint;
begin
  if (redrive.max_messages >= 1) is not true then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Redrive at least one message.');
  end if;
  if (cardinality(redrive.message_ids) > 10000) is true then
    perform queue._raise('OX004', format('%s message_ids are too many', cardinality(message_ids)), null,
      'Select at most 10000 dead letters at a time.');
  end if;
  if redrive.dead_letter_queue = '__topic_dead_letters' then
    return queue.redrive_topic_dead_letters(redrive.max_messages, null, redrive.message_ids);
  end if;

  v_queue := queue._find_queue(redrive.dead_letter_queue);

  -- In a FIFO queue, each round takes as many of each group as there is room for.
  loop
    v_letters := queue._take_messages(
      v_queue, least(redrive.max_messages - v_redriven, 1000)::integer, redrive.message_ids, true, v_now
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
      v_queue, array(select l.receipt from unnest(v_letters) as l), v_now + interval '1 second'
    );
  end loop;
  perform queue._record_action(
    'queue.redrive', 'queue', array[v_queue.name], case when v_redriven > 0 then 'changed' else 'unchanged' end,
    jsonb_build_object('messages', v_redriven)
  );
  return v_redriven;
end
$function$;

comment on function queue.redrive(text, integer, bigint[]) is
$comment$Sends dead letters back to the queues that they came from, as new messages without the dead letter header. In a FIFO queue they go to the end of their group, in the order in which they died. For queue __topic_dead_letters, this is redrive_topic_dead_letters(). Letters in flight, and messages that are not dead letters, are skipped.
max_messages: at most this many, oldest first.
message_ids: sends these letters back, at most 10000; null sends all. In a FIFO queue, a letter goes after those before it in its group: one that is not selected holds back the ones behind it.
Returns how many were sent back.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the dead letter queue's table (rows locked with SKIP LOCKED), the source queues' tables, in the order of their names; advisory locks of groups of FIFO queues (waits); queue.audit.$comment$;
