create or replace function queue._find_queue(name text, kind text default null, privilege text default null)
returns queue.queue_settings
language plpgsql
volatile
as $function$
declare
  v_queue queue.queue_settings;
begin
  if queue._is_behind() then
    perform queue._migrate_if_older();
    -- Before the registry is read, which does not exist until the first queue does.
    perform queue._queue_table(_find_queue.name);
  end if;

  select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
    q.retention_seconds, q.suspected_at, q.delay_seconds, q.deduplication_scope,
    q.grouped_at, null::text
  into v_queue
  from queue.queue as q
  where q.name = _find_queue.name;

  if not found then
    perform queue._raise_queue_not_found(_find_queue.name);
  elsif (v_queue.kind <> 'workflow') is not true then
    perform queue._raise('OX007', format('queue "%s" belongs to a workflow', v_queue.name), null,
      'Use the workflow functions instead: workflow_start(), workflow_signal(), workflow_cancel().');
  elsif starts_with(v_queue.name, '__') is not false and privilege is distinct from 'read' then
    perform queue._raise('OX007', format('queue "%s" belongs to Oxbow', v_queue.name), null,
      'Only topics and schedules use this queue. For dead letters of topics, see topic_dead_letters() and redrive_topic_dead_letters().');
  elsif (v_queue.kind = _find_queue.kind) is false then
    perform queue._raise('OX007', format('queue "%s" is a %s queue', v_queue.name, v_queue.kind), null,
      case v_queue.kind
        when 'fifo' then 'Use send_fifo() and receive_fifo().'
        else 'Use send() and receive(), or create a queue with fifo => true.'
      end);
  elsif (queue._caller() = current_user or queue._may_use(v_queue.name, privilege)) is not true then
    perform queue._raise(
      '42501',
      format('role "%s" may not %s queue "%s"', queue._caller(),
        case privilege when 'send' then 'send to' when 'receive' then 'receive from' when 'peek' then 'peek at' else 'look at' end, v_queue.name),
      null,
      format('Grant it with queue.grant_queue(''%s'', ''%s'', ''%s''), or make it a member of oxbow_%s.', v_queue.name,
        queue._caller(), case privilege when 'send' then 'send' else 'receive' end,
        case privilege when 'send' then 'producer' when 'receive' then 'worker' else 'reader' end)
    );
  end if;
  return v_queue;
end
$function$;

comment on function queue._find_queue(text, text, text) is
$comment$Returns the settings of a queue that a caller names. Every public function that takes the name of a queue looks it up here, so internal queues can be read but not used or changed. Functions that own an internal queue call _internal_queue().
kind: the required kind, standard or fifo; null accepts both.
privilege: what the caller must be allowed to do with the queue: send, receive, peek or read; null checks no privilege.
Errors: OX001 no such queue, OX007 another kind of queue, or one that belongs to a workflow or to Oxbow, 42501 not allowed.
Touches: nothing; reads queue.queue.$comment$;
