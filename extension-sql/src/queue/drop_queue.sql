create or replace function queue.drop_queue(name text)
returns void
language plpgsql
volatile
security definer
as $function$
declare
  v_table         constant regclass := queue._queue_table(drop_queue.name);
  v_sources       text;
  v_subscriptions text;
  v_function      regprocedure;
begin
  perform queue._find_queue(drop_queue.name);

  -- In the order of sqs_continue_moves(): the task, then the queue's table.
  delete from queue.sqs_move_task as t where t.source = drop_queue.name;
  perform queue._lock_queue(drop_queue.name);
  select string_agg(format('"%s"', q.name), ', ' order by q.name)
  into v_sources
  from queue.queue as q
  where q.dead_letter_queue = drop_queue.name;
  if v_sources is not null then
    perform queue._raise('OX009', format('queue "%s" is the dead letter queue of %s', drop_queue.name, v_sources),
      null, 'Drop those queues first.');
  end if;

  select string_agg(s.subscription_id::text, ', ' order by s.subscription_id)
  into v_subscriptions
  from queue.subscription as s
  where s.target_type = 'queue'
    and s.target = drop_queue.name;
  if v_subscriptions is not null then
    perform queue._raise('OX009', format('queue "%s" is the target of subscription %s', drop_queue.name, v_subscriptions),
      null, 'End the subscription first, with queue.unsubscribe().');
  end if;

  execute format('drop table %1$s', v_table);
  foreach v_function in array queue._queue_functions(drop_queue.name) loop
    execute format('drop function %s', v_function);
  end loop;
  delete from queue.queue as q where q.name = drop_queue.name;
  delete from queue.queue_grant as g where g.queue_name = drop_queue.name;
  delete from queue.id_mark as o where o.queue_name = drop_queue.name;
  delete from queue.group_mark as g where g.queue_name = drop_queue.name;
  delete from queue.suspect as s where s.queue_name = drop_queue.name;
  delete from queue.ready_mark as r where r.queue_name = drop_queue.name;
  delete from queue.deduplication as d where d.queue_name = drop_queue.name;
  delete from queue.queue_depth as d where d.queue_name = drop_queue.name;
  delete from queue.sqs_queue as s where s.queue_name = drop_queue.name;
  perform queue._record_action('queue.drop', 'queue', array[drop_queue.name]);
end
$function$;

comment on function queue.drop_queue(text) is
$comment$Drops a queue with all its messages.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow, OX009 the queue is the dead letter queue of another one or the target of a subscription, or an open transaction has used it for longer than 2 seconds.
Touches: the queue's table (exclusively, which waits for open transactions), queue.queue, queue.deduplication, queue.queue_depth, queue.sqs_queue, queue.sqs_move_task; queue.audit.$comment$;
