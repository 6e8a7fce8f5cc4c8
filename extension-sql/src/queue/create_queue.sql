create or replace function queue.create_queue(
  name                text,
  fifo                boolean default false,
  visibility_timeout  integer default 30,
  max_receives        integer default null,
  dead_letter_queue   text default null,
  retention_seconds   integer default null,
  delay_seconds       integer default 0,
  deduplication_scope text default 'queue'
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_settings   queue.queue_settings;
  v_is_created boolean;
begin
  perform queue._ensure_migrated();

  if starts_with(create_queue.name, '__') is true then
    perform queue._raise('OX003', format('invalid queue name "%s"', left(create_queue.name, 100)), null,
      'Names that begin with "__" are reserved for Oxbow. Choose another name.');
  end if;
  v_settings.name := create_queue.name;
  v_settings.kind := case when create_queue.fifo then 'fifo' else 'standard' end;
  v_settings.visibility_timeout := create_queue.visibility_timeout;
  v_settings.max_receives := create_queue.max_receives;
  v_settings.dead_letter_queue := create_queue.dead_letter_queue;
  v_settings.retention_seconds := create_queue.retention_seconds;
  v_settings.delay_seconds := create_queue.delay_seconds;
  v_settings.deduplication_scope := create_queue.deduplication_scope;
  perform queue._check_queue_settings(v_settings);

  v_is_created := queue._register_queue(v_settings);
  if v_is_created then
    perform queue._record_action('queue.create', 'queue', array[create_queue.name],
      jsonb_build_object('kind', v_settings.kind));
  end if;
  return v_is_created;
end
$function$;

comment on function queue.create_queue(text, boolean, integer, integer, text, integer, integer, text) is
$comment$Creates a queue, unless it exists with the same settings. To change the settings of a queue, call alter_queue().
name: 1 to 48 characters of a-z, 0-9, "_" and "-".
fifo: true keeps the order of messages within a message group.
visibility_timeout: seconds for which a received message is in flight unless receive() specifies otherwise.
max_receives, dead_letter_queue: a message that was received this many times moves to the dead letter queue instead of being received again. Pass both or neither; the dead letter queue must exist.
retention_seconds: a message that is not received within this time after it was sent is dropped by the next receive() or expire_messages(); null keeps messages forever.
delay_seconds: how long a message stays invisible after it was sent, unless its sender sets a delay.
deduplication_scope: queue, or group if the deduplication id of a message counts only within its message group.
Returns true if the queue was created; false if it exists.
Errors: OX001 no such dead letter queue, OX002 the queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX007 the dead letter queue of a standard queue is a FIFO queue or belongs to a workflow.
Touches: the name, locked until the transaction ends; queue.queue; creates queue.q_<name>; the first call creates all of Oxbow's tables; queue.audit.$comment$;
