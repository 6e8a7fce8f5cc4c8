create or replace function queue._append_group(queue text, message_group_id text, messages jsonb)
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_messages jsonb[];
  v_headers  jsonb[];
  v_ids      bigint[];
begin
  if queue._is_fifo(queue) is not true then
    perform queue._raise('OX001', format('FIFO queue "%s" does not exist, to which message group "%s" belongs', queue, left(message_group_id, 140)), null,
      'Create it here with the settings that it has in the other shards, and repeat the item: oxbow shards outbox --repeat.');
  end if;
  select array_agg(m.entry -> 'message' order by m.n), array_agg(nullif(m.entry -> 'headers', 'null') order by m.n)
  into v_messages, v_headers
  from jsonb_array_elements(messages) with ordinality as m (entry, n);
  v_ids := queue._send_fifo(queue, v_messages, array_fill(message_group_id, array[cardinality(v_messages)]), '0', v_headers);
  execute format($sql$
    update %1$s as q
    set visible_at = greatest((m.entry ->> 'visibleAt')::timestamptz, q.visible_at),
      enqueued_at = least((m.entry ->> 'sentAt')::timestamptz, q.enqueued_at),
      read_ct = (m.entry ->> 'receives')::integer,
      spared = (m.entry ->> 'spared')::integer
    from unnest($1) with ordinality as i (msg_id, n)
    join jsonb_array_elements($2) with ordinality as m (entry, n) using (n)
    where q.msg_id = i.msg_id
  $sql$, queue._queue_table(queue))
  using v_ids, messages;
  return v_ids;
end
$function$;

comment on function queue._append_group(text, text, jsonb) is
$comment$Appends messages of another shard to a group, as new messages, each with its age, delay and number of receives.
messages: an array of objects, as _send_group() writes them.
Returns their ids, in their order.
Errors: OX001 no such queue.
Touches: as _send_fifo(); the queue's table.$comment$;
