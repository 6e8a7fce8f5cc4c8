create or replace function queue.redrive(
  dead_letter_queue text,
  max_messages      integer default 1000,
  message_ids       bigint[] default null
)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_queue    queue.queue_settings;
  v_redriven bigint;
begin
  perform queue._check_count(redrive.max_messages, 'max_messages', null, 'Redrive at least one message.');
  if (cardinality(redrive.message_ids) > 10000) is true then
    perform queue._raise('OX004', format('%s message_ids are too many', cardinality(message_ids)), null,
      'Select at most 10000 dead letters at a time.');
  end if;
  if redrive.dead_letter_queue = '__topic_dead_letters' then
    return queue.redrive_topic_dead_letters(redrive.max_messages, null, redrive.message_ids);
  end if;

  v_queue := queue._find_queue(redrive.dead_letter_queue);
  v_redriven := queue._redrive_letters(v_queue, redrive.max_messages, redrive.message_ids);
  perform queue._record_action('queue.redrive', 'queue', array[v_queue.name],
    jsonb_build_object('messages', v_redriven), changed => v_redriven > 0);
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
