create or replace function queue._deduplicate(queue text, key text)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_msg_id bigint;
begin
  insert into queue.deduplication as d (queue_name, deduplication_id, expires_at, msg_id)
  values (_deduplicate.queue, _deduplicate.key, v_now + interval '5 minutes', 0)
  on conflict on constraint deduplication_pkey do update
  set expires_at = excluded.expires_at
  where d.expires_at <= v_now;

  if not found then
    select d.msg_id
    into v_msg_id
    from queue.deduplication as d
    where d.queue_name = _deduplicate.queue
      and d.deduplication_id = _deduplicate.key;
    return v_msg_id;
  end if;

  -- Each insert deletes two expired ids, so that the table shrinks to the live ones.
  with expired as materialized (
    select d.queue_name, d.deduplication_id
    from queue.deduplication as d
    where d.expires_at <= v_now
    order by d.expires_at
    limit 2
    for update skip locked
  )
  delete from queue.deduplication as d
  using expired
  where d.queue_name = expired.queue_name
    and d.deduplication_id = expired.deduplication_id;
  return null;
end
$function$;

comment on function queue._deduplicate(text, text) is
$comment$Returns the message that was sent with a deduplication id in the last 5 minutes, and otherwise records the id; the caller then records the message. Of two concurrent transactions with the same id, the second waits for the first.
key: of _deduplication_key().
Returns the message's id; null if there is no such message.
Touches: queue.deduplication: the id's row, and two expired ones.$comment$;
