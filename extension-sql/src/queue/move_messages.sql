create or replace function queue.move_messages(source text, target text, max_messages integer default 1000)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_source queue.queue_settings;
  v_target queue.queue_settings;
  v_moved  bigint;
begin
  perform queue._check_count(max_messages, 'max_messages', 10000, 'Move between 1 and 10000 messages at a time.');
  v_source := queue._find_queue(move_messages.source);
  v_target := queue._find_queue(move_messages.target);
  if (v_source.name <> v_target.name) is not true then
    perform queue._raise('OX004', format('queue "%s" is both source and target', v_source.name), null,
      'Move messages to another queue.');
  elsif (v_source.kind = v_target.kind) is not true then
    perform queue._raise('OX007',
      format('queue "%s" is a %s queue, and queue "%s" is a %s queue', v_source.name, v_source.kind, v_target.name, v_target.kind),
      null, 'Move messages to a queue of the same kind.');
  end if;

  v_moved := queue._move_messages(v_source, v_target, max_messages);
  perform queue._record_action('queue.move', 'queue', array[v_source.name],
    jsonb_build_object('target', v_target.name, 'messages', v_moved), changed => v_moved > 0);
  return v_moved;
end
$function$;

comment on function queue.move_messages(text, text, integer) is
$comment$Moves messages that are not in flight to another queue of the same kind, as new messages: with new ids, no deliveries counted, and the same bodies, headers and message groups. In a FIFO queue they go to the end of their group, in their order, and a message that follows one in flight stays. A delayed message keeps the rest of its delay. Deduplication ids are not looked at. For dead letters that go back to where they came from, see redrive().
max_messages: 1 to 10000; the oldest are moved first, in a FIFO queue the oldest of each group.
Returns how many were moved; 0 if no message could be.
Errors: OX001 no such queue, OX004 invalid argument or the same queue twice, OX007 queues of different kinds, or one that belongs to a workflow or to Oxbow.
Touches: the source queue's table (rows locked with SKIP LOCKED), the target queue's table; advisory locks of groups of FIFO queues (waits); queue.audit.$comment$;
