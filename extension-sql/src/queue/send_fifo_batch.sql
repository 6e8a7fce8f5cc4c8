create or replace function queue.send_fifo_batch(
  queue             text,
  messages          jsonb[],
  message_group_ids text[],
  deduplication_ids text[] default null,
  delay_seconds     numeric default null,
  headers           jsonb[] default null,
  delays            numeric[] default null
)
returns setof queue.sent_message
language plpgsql
volatile
security definer
as $function$
declare
  v_queue   constant queue.queue_settings := queue._find_queue(send_fifo_batch.queue, 'fifo', 'send');
  v_delay   constant interval := queue._duration(coalesce(send_fifo_batch.delay_seconds, v_queue.delay_seconds), 'delay');
  v_count   constant integer := cardinality(send_fifo_batch.messages);
  v_delays  constant interval[] := queue._message_delays(send_fifo_batch.delays, v_count, v_delay);
  v_shared  constant boolean := queue._in_fleet();
  v_leaving text[] := array[]::text[];
  v_group   text;
  v_keys    text[];
  v_known   bigint[];
  v_sent    bigint[];
begin
  perform queue._check_messages(send_fifo_batch.messages, send_fifo_batch.headers);
  if (cardinality(message_group_ids) = v_count) is not true then
    perform queue._raise('OX004', format('%s message group ids for %s messages', coalesce(cardinality(message_group_ids), 0), v_count),
      null, 'Pass one element per message.');
  end if;
  if (cardinality(deduplication_ids) = v_count) is false then
    perform queue._raise('OX004', format('%s deduplication ids for %s messages', cardinality(deduplication_ids), v_count),
      null, 'Pass no deduplication ids, or one element per message, which may be null.');
  end if;
  perform queue._check_id(g.id, 'message group id') from (select distinct i.id from unnest(message_group_ids) as i (id)) as g;
  perform queue._check_id(d.id, 'deduplication id') from unnest(deduplication_ids) as d (id) where d.id is not null;
  if v_count = 0 then
    return;
  end if;

  -- All locks come before the first look, in the order in which other senders take them.
  if v_shared then
    perform queue._lock_homes(array(select distinct queue._route_of(g.id) from unnest(message_group_ids) as g (id)));
    perform queue._lock_groups(v_queue.name, message_group_ids);
    for v_group in
      select distinct g.id
      from unnest(message_group_ids) as g (id)
      order by g.id
    loop
      if queue._require_group(v_queue.name, v_group) then
        v_leaving := v_leaving || v_group;
      end if;
    end loop;
  end if;

  if array_length(array_remove(deduplication_ids, null), 1) > 0 then
    perform queue._lock_groups(v_queue.name, message_group_ids);
    v_keys := array(
      select queue._deduplication_key(v_queue.deduplication_scope, i.message_group_id, i.deduplication_id)
      from unnest(message_group_ids, deduplication_ids) with ordinality as i (message_group_id, deduplication_id, position)
      order by i.position
    );
    v_known := queue._deduplicate_batch(v_queue.name, v_keys);
  else
    v_known := array_fill(null::bigint, array[v_count]);
  end if;

  if array_position(v_known, null) is not null then
    select queue._send_fifo(
        v_queue.name, array_agg(i.message order by i.position), array_agg(i.message_group_id order by i.position), v_delay,
        array_agg(i.headers order by i.position),
        case when v_delays is not null then array_agg(i.delay order by i.position) end
      )
    into v_sent
    from unnest(
      send_fifo_batch.messages, message_group_ids, send_fifo_batch.headers, v_delays, v_known
    ) with ordinality as i (message, message_group_id, headers, delay, known, position)
    where i.known is null;
    -- In the places of the messages that were sent.
    select array_agg(coalesce(i.known, v_sent[i.sent::integer]) order by i.position)
    into v_sent
    from (
      select k.known, k.position, sum((k.known is null)::integer) over (order by k.position) as sent
      from unnest(v_known) with ordinality as k (known, position)
    ) as i;
  else
    v_sent := v_known;
  end if;

  if v_keys is not null then
    update queue.deduplication as d
    set msg_id = i.msg_id,
      message_group_id = case when v_shared then i.message_group_id end
    from unnest(v_keys, v_sent, v_known, message_group_ids) as i (key, msg_id, known, message_group_id)
    where d.queue_name = v_queue.name
      and d.deduplication_id = i.key
      and i.known is null;
  end if;
  foreach v_group in array v_leaving loop
    if queue._holds_next(v_queue.name, v_group) then
      perform queue._hold_message(v_queue.name, v_group, min(i.msg_id))
      from unnest(v_sent, v_known, message_group_ids) as i (msg_id, known, message_group_id)
      where i.message_group_id = v_group
        and i.known is null
      having count(*) > 0;
    end if;
  end loop;

  return query
    select case when i.msg_id = 0 then min(i.msg_id) filter (where i.msg_id > 0) over (partition by i.key) else i.msg_id end,
      i.known is not null
    from unnest(v_sent, v_known, v_keys) with ordinality as i (msg_id, known, key, position)
    order by i.position;
end
$function$;

comment on function queue.send_fifo_batch(text, jsonb[], text[], text[], numeric, jsonb[], numeric[]) is
$comment$Sends many messages to a FIFO queue, in the caller's transaction: all of them or, after an error, no message. Each goes to the end of its message group, and those of one group in the order of the array. See send_fifo().
message_group_ids: one element per message, 1 to 512 characters.
deduplication_ids: null, or one element per message, which may be null. Of messages with the same id the first is sent, also within the call.
delay_seconds: how long the messages stay invisible, with fractions; null means the delay of the queue.
headers: null, or one JSON object or null per message.
delays: null, or the delay of each message in seconds; a null among them means delay_seconds.
Returns one row per message, in order: its id and false; or the id of the first message with the deduplication id and true.
Errors: as send_fifo().
Touches: the groups' advisory locks until the transaction ends, in one order (waits); queue.deduplication if there are deduplication ids, in one order (waits); the queue's table; NOTIFY only if a consumer listens; in a shard of a fleet, as _require_group().$comment$;
