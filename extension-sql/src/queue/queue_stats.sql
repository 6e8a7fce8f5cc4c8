create or replace function queue.queue_stats(name text)
returns queue.queue_statistics
language plpgsql
volatile
security definer
as $function$
declare
  v_now        constant timestamptz := clock_timestamp();
  v_queue      constant queue.queue_settings := queue._find_queue(queue_stats.name, null, 'read');
  v_table      constant regclass := queue._queue_table(queue_stats.name);
  v_statistics queue.queue_statistics;
begin
  execute format($sql$
    select $1,
      count(*) filter (where m.visible_at <= $2 or m.visible_at = 'infinity'),
      count(*) filter (where m.visible_at > $2 and m.visible_at < 'infinity' and m.receipt is not null),
      count(*) filter (where m.visible_at > $2 and m.visible_at < 'infinity' and m.receipt is null),
      %2$s,
      greatest(0, pg_sequence_last_value(pg_get_serial_sequence($3::text, 'msg_id'))
        - coalesce(pg_sequence_last_value('queue.skipped_ids'), 0)),
      $2 - min(m.enqueued_at)
    from %1$s as m
    where m.message is not null
  $sql$, v_table, case v_queue.kind when 'fifo' then 'count(distinct m.message_group_id)' else 'null::bigint' end)
  into v_statistics.name, v_statistics.visible, v_statistics.in_flight, v_statistics.delayed, v_statistics.groups,
    v_statistics.total_sent, v_statistics.oldest_message_age
  using queue_stats.name, v_now, v_table;
  return v_statistics;
end
$function$;

comment on function queue.queue_stats(text) is
$comment$Counts the messages of a queue. It reads all of them, so it suits dashboards and gauges rather than a hot path.
Returns visible (ready, or with an expired lease, including those behind the head of their group), in_flight (received and leased), delayed (sent with a delay that has not passed), groups (with messages; null in a standard queue), total_sent (message ids drawn, including those of sends that were rolled back, without those skipped after a crash), and oldest_message_age (null if the queue is empty).
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the queue's table.$comment$;
