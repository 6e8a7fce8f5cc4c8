create or replace function queue.sqs_start_move(source text, target text default null, max_per_second integer default null)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_source  queue.sqs_queue_state;
  v_target  queue.sqs_queue_state;
  v_to_move bigint;
  v_task_id bigint;
begin
  perform queue._ensure_migrated();
  if (max_per_second is null or max_per_second between 1 and 500) is not true then
    perform queue._raise('OX004', format('invalid max_per_second %s', max_per_second), null,
      'Move between 1 and 500 messages a second.');
  end if;
  v_source := queue.sqs_find_queue(sqs_start_move.source);
  if (exists (select from queue.queue as q where q.dead_letter_queue = v_source.name)) is not true then
    perform queue._raise('OX004', format('queue "%s" is not the dead letter queue of another', v_source.sqs_name), null,
      'Start a task for a queue that other queues send their dead letters to.');
  end if;
  if sqs_start_move.target is not null then
    v_target := queue.sqs_find_queue(sqs_start_move.target);
    if (v_source.name <> v_target.name) is not true then
      perform queue._raise('OX004', format('queue "%s" is both source and target', v_source.sqs_name), null,
        'Move messages to another queue.');
    elsif (v_source.kind = v_target.kind) is not true then
      perform queue._raise('OX007',
        format('queue "%s" is a %s queue, and queue "%s" is a %s queue', v_source.sqs_name, v_source.kind,
          v_target.sqs_name, v_target.kind),
        null, 'Move messages to a queue of the same kind.');
    end if;
  end if;

  select s.visible + s.delayed
  into v_to_move
  from queue.queue_stats(v_source.name) as s;
  insert into queue.sqs_move_task (started_at, due_at, to_move, rate, source, target)
  values (v_now, v_now, v_to_move, max_per_second, v_source.name, v_target.sqs_name)
  on conflict do nothing
  returning task_id
  into v_task_id;
  if v_task_id is null then
    return null;
  end if;
  delete from queue.sqs_move_task as t
  where t.source = v_source.name
    and t.task_id <= (
      select o.task_id
      from queue.sqs_move_task as o
      where o.source = v_source.name
      order by o.task_id desc
      offset 10
      limit 1
    );
  perform queue._record_action('queue.start_move', 'queue', array[v_source.name],
    jsonb_build_object('target', v_target.name, 'messages', v_to_move));
  return v_task_id;
end
$function$;

comment on function queue.sqs_start_move(text, text, integer) is
$comment$Starts a task that moves the messages of a dead letter queue: as many as are not in flight now, the oldest first. Servers that answer clients of SQS carry it out, in small transactions: see sqs_continue_moves(). The last ten tasks of a queue are kept.
source: a dead letter queue, by its name for clients of SQS.
target: a queue of the same kind, as move_messages() takes it; null sends each letter back to the queue that it comes from, as redrive() does.
max_per_second: 1 to 500; null is 500.
Returns the id of the task; null if another one is running for the queue.
Errors: OX001 no such queue, OX004 invalid argument, or the source is not a dead letter queue, OX007 queues of different kinds.
Touches: queue.sqs_move_task (waits for another call for the queue); queue.audit; reads the source queue's table.$comment$;
