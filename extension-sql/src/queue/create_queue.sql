create or replace function queue.create_queue(
  name               text,
  fifo               boolean default false,
  visibility_timeout integer default 30,
  max_receives       integer default null,
  dead_letter_queue  text default null,
  retention_seconds  integer default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_is_created       boolean;
  v_kind             constant text := case when create_queue.fifo then 'fifo' else 'standard' end;
  v_dead_letter_kind text;
begin
  perform queue._ensure_migrated();

  if starts_with(create_queue.name, '__') is true then
    perform queue._raise('OX003', format('invalid queue name "%s"', left(create_queue.name, 100)), null,
      'Names that begin with "__" are reserved for Oxbow. Choose another name.');
  end if;
  perform queue._duration(create_queue.visibility_timeout, 'visibility timeout');
  if (create_queue.max_receives >= 1) is false then
    perform queue._raise('OX004', format('invalid max_receives %s', create_queue.max_receives), null,
      'A message is delivered at least once before it moves to the dead letter queue.');
  end if;
  if (create_queue.retention_seconds between 1 and 315360000) is false then
    perform queue._raise('OX004', format('invalid retention of %s seconds', create_queue.retention_seconds), null,
      'A retention is between 1 and 315360000 seconds (10 years); null keeps messages forever.');
  end if;
  if num_nulls(create_queue.max_receives, create_queue.dead_letter_queue) = 1 then
    perform queue._raise('OX004', 'max_receives and dead_letter_queue require each other', null,
      'Pass both, or neither. The dead letter queue must exist.');
  end if;
  if (create_queue.dead_letter_queue = create_queue.name) is true then
    perform queue._raise('OX004', format('queue "%s" cannot be its own dead letter queue', create_queue.name), null,
      'Create another queue for dead letters.');
  end if;
  if create_queue.dead_letter_queue is not null then
    v_dead_letter_kind := (queue._find_queue(create_queue.dead_letter_queue)).kind;
    if (v_kind = v_dead_letter_kind or v_kind = 'fifo') is not true then
      perform queue._raise('OX007', format('queue "%s" is a fifo queue', create_queue.dead_letter_queue), null,
        'Dead letters of a standard queue have no message group. Create a standard queue for them.');
    end if;
  end if;

  v_is_created := queue._register_queue(row(
    create_queue.name, v_kind, create_queue.visibility_timeout, create_queue.max_receives,
    create_queue.dead_letter_queue, null, create_queue.retention_seconds, null
  ));
  if v_is_created then
    perform queue._record_action('queue.create', 'queue', array[create_queue.name], 'changed', jsonb_build_object('kind', v_kind));
  end if;
  return v_is_created;
end
$function$;

comment on function queue.create_queue(text, boolean, integer, integer, text, integer) is
$comment$Creates a queue, unless it exists with the same settings.
name: 1 to 48 characters of a-z, 0-9, "_" and "-".
fifo: true keeps the order of messages within a message group.
visibility_timeout: seconds for which a received message is in flight unless receive() specifies otherwise.
max_receives, dead_letter_queue: a message that was received this many times moves to the dead letter queue instead of being received again. Pass both or neither; the dead letter queue must exist.
retention_seconds: a message that is not received within this time after it was sent is dropped by the next receive() or expire_messages(); null keeps messages forever.
Returns true if the queue was created; false if it exists.
Errors: OX001 no such dead letter queue, OX002 the queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX007 the dead letter queue of a standard queue is a FIFO queue or belongs to a workflow.
Touches: the name, locked until the transaction ends; queue.queue; creates queue.q_<name>; the first call creates all of Oxbow's tables; queue.audit.$comment$;
