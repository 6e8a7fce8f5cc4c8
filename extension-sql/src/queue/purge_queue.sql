create or replace function queue.purge_queue(name text)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_table  constant regclass := queue._queue_table(purge_queue.name);
  v_purged bigint;
begin
  perform queue._find_queue(purge_queue.name);

  perform queue._lock_queue(purge_queue.name);
  execute format('select count(*) from %1$s as m where m.message is not null', v_table) into v_purged;
  execute format('truncate table %1$s', v_table);
  delete from queue.suspect as s where s.queue_name = purge_queue.name;
  -- A send that has locked an id waits for this transaction with its message.
  with forgotten as materialized (
    select d.ctid
    from queue.deduplication as d
    where d.queue_name = purge_queue.name
    for update skip locked
  )
  delete from queue.deduplication as d
  using forgotten
  where d.ctid = forgotten.ctid;
  perform queue._record_action('queue.purge', 'queue', array[purge_queue.name],
    jsonb_build_object('messages', v_purged), changed => v_purged > 0);
  return v_purged;
end
$function$;

comment on function queue.purge_queue(text) is
$comment$Deletes all messages of a queue, including those in flight, whose receipts are then dead. Its disk space is freed immediately. Deduplication ids are forgotten: a message with the id of a deleted one is sent.
Returns how many messages were deleted.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: the queue's table (exclusively until the caller's transaction ends; waits for open transactions); queue.deduplication; queue.audit.$comment$;
