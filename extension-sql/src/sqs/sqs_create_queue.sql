create or replace function queue.sqs_create_queue(
  sqs_name   text,
  settings   jsonb default '{}',
  attributes jsonb default '{}',
  tags       jsonb default '{}'
)
returns queue.sqs_queue_state
language plpgsql
volatile
security definer
as $function$
declare
  v_name      text;
  v_queue     queue.sqs_queue_state;
  v_different text;
begin
  perform queue._ensure_migrated();
  if (sqs_create_queue.sqs_name ~ '^[A-Za-z0-9_-]+([.]fifo)?$' and length(sqs_create_queue.sqs_name) <= 80) is not true then
    perform queue._raise('OX003', format('invalid queue name "%s"', coalesce(left(sqs_create_queue.sqs_name, 100), 'null')), null,
      'A name is 1 to 80 letters, digits, hyphens and underscores; that of a FIFO queue ends with ".fifo".');
  end if;
  if (jsonb_typeof(sqs_create_queue.attributes) = 'object' and jsonb_typeof(sqs_create_queue.tags) = 'object') is not true then
    perform queue._raise('OX004', 'attributes and tags are not JSON objects', null, 'Pass strings by name.');
  end if;
  loop
    v_name := queue._sqs_free_name(sqs_create_queue.sqs_name);
    -- The second of two calls waits here, and then finds the queue.
    perform queue._lock_name('create:' || v_name);
    select q.*
    into v_queue
    from queue._sqs_queues() as q
    where q.name = queue._sqs_queue_name(sqs_create_queue.sqs_name);
    exit when v_queue.name is not null or v_name = queue._sqs_free_name(sqs_create_queue.sqs_name);
  end loop;
  if v_queue.name is not null then
    select string_agg(g.key, ', ' order by g.key)
    into v_different
    from jsonb_each(sqs_create_queue.settings || sqs_create_queue.attributes) as g
    where coalesce((
        -- The defaults of attributes for which queues have no setting. One that is removed has the value null.
        jsonb_build_object(
          'MaximumMessageSize', '1048576',
          'ReceiveMessageWaitTimeSeconds', '0',
          'ContentBasedDeduplication', 'false',
          'FifoThroughputLimit', 'perQueue'
        ) || to_jsonb(v_queue) || v_queue.attributes || jsonb_build_object(
          'dead_letter_queue', (select q.dead_letter_queue from queue.queue as q where q.name = v_queue.name)
        )
      ) -> g.key, 'null') is distinct from g.value;
    if v_different is not null then
      perform queue._raise('OX002', format('queue "%s" exists with another %s', v_queue.sqs_name, v_different), null,
        'Create it with the attributes that it has, or change them with sqs_set_attributes().');
    end if;
    return v_queue;
  end if;

  v_queue.sqs_name := sqs_create_queue.sqs_name;
  v_queue.name := v_name;
  perform queue.create_queue(v_queue.name, fifo => sqs_create_queue.sqs_name like '%.fifo', retention_seconds => 345600);
  if sqs_create_queue.settings <> '{}' then
    perform queue.alter_queue(v_queue.name, sqs_create_queue.settings);
  end if;
  perform queue._record_sqs_queue(v_queue, sqs_create_queue.attributes, sqs_create_queue.tags);
  return queue.sqs_find_queue(sqs_create_queue.sqs_name);
end
$function$;

comment on function queue.sqs_create_queue(text, jsonb, jsonb, jsonb) is
$comment$Creates a queue for clients of SQS, unless it exists with the same attributes. Messages are kept for four days unless retention_seconds is given.
sqs_name: 1 to 80 letters, digits, "-" and "_"; one that ends with ".fifo" is that of a FIFO queue. The queue has the same name if that is valid, in small letters and without ".fifo", or a similar one.
settings: as alter_queue() takes them.
attributes: strings by name, for which queues have no setting. Of a queue that exists, settings and attributes that are not given may differ, and those that it does not have count as their defaults.
tags: strings by name.
Returns the queue.
Errors: OX001 no such dead letter queue, OX002 the queue exists with other attributes, OX003 invalid name, OX004 invalid argument.
Touches: queue.sqs_queue, and as create_queue() and alter_queue().$comment$;
