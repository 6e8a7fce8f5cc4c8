create or replace function queue.alter_queue(name text, changes jsonb)
returns queue.queue_settings
language plpgsql
volatile
security definer
as $function$
declare
  v_before   queue.queue_settings;
  v_settings queue.queue_settings;
  v_change   record;
begin
  perform queue._find_queue(alter_queue.name);
  if (jsonb_typeof(changes) = 'object') is not true then
    perform queue._raise('OX004', 'changes are not a JSON object', null,
      'Pass the settings to change, such as {"visibility_timeout": 60}; null removes a setting.');
  end if;
  -- Two calls could otherwise make two queues the dead letter queues of each other.
  if changes ? 'dead_letter_queue' then
    perform queue._lock_name('dead letter queues');
  end if;
  perform from queue.queue as q where q.name = alter_queue.name for no key update;
  v_before := queue._find_queue(alter_queue.name);

  for v_change in
    select c.key, c.value, c.value #>> '{}' as text
    from jsonb_each(changes) as c
    order by c.key
  loop
    case
      when v_change.key in ('visibility_timeout', 'max_receives', 'retention_seconds', 'delay_seconds') then
        if (v_change.value = 'null' or jsonb_typeof(v_change.value) = 'number' and v_change.text ~ '^-?[0-9]{1,9}$') is not true then
          perform queue._raise('OX004', format('invalid %s %s', v_change.key, left(v_change.value::text, 40)), null,
            'Pass a whole number.');
        end if;
      when v_change.key in ('dead_letter_queue', 'deduplication_scope') then
        if (jsonb_typeof(v_change.value) in ('string', 'null')) is not true then
          perform queue._raise('OX004', format('invalid %s %s', v_change.key, left(v_change.value::text, 40)), null,
            'Pass a string.');
        end if;
      when v_change.key in ('name', 'kind', 'fifo', 'created_at', 'suspected_at', 'grouped_at', 'sqs_name') then
        perform queue._raise('OX004', format('%s of queue "%s" cannot be changed', v_change.key, alter_queue.name), null,
          'Create another queue, and move the messages.');
      else
        perform queue._raise('OX004', format('queues have no setting "%s"', left(v_change.key, 40)), null,
          'The settings that can be changed are visibility_timeout, max_receives, dead_letter_queue, retention_seconds, delay_seconds and deduplication_scope.');
    end case;
  end loop;
  v_settings := jsonb_populate_record(v_before, changes);
  perform queue._check_queue_settings(v_settings);
  if v_settings.dead_letter_queue is distinct from v_before.dead_letter_queue and exists (
    with recursive letters (name) as (
      select v_settings.dead_letter_queue
      union
      select q.dead_letter_queue
      from letters as l
      join queue.queue as q on q.name = l.name
    )
    select from letters as l where l.name = v_settings.name
  ) then
    perform queue._raise('OX004',
      format('queue "%s" would get its own dead letters back through queue "%s"', v_settings.name, v_settings.dead_letter_queue),
      null, 'Choose a dead letter queue whose own dead letters go elsewhere.');
  end if;

  update queue.queue as q
  set visibility_timeout = v_settings.visibility_timeout,
    max_receives = v_settings.max_receives,
    dead_letter_queue = v_settings.dead_letter_queue,
    retention_seconds = v_settings.retention_seconds,
    delay_seconds = v_settings.delay_seconds,
    deduplication_scope = v_settings.deduplication_scope
  where q.name = v_settings.name
    and v_settings is distinct from v_before;
  perform queue._record_action('queue.alter', 'queue', array[v_settings.name],
    changes, changed => v_settings is distinct from v_before);
  v_settings.sqs_name := queue._sqs_given_name(v_settings.name);
  return v_settings;
end
$function$;

comment on function queue.alter_queue(text, jsonb) is
$comment$Changes settings of a queue. The next calls follow them; messages keep the delays and leases that they have, and deduplication ids the scope with which they were sent.
changes: an object with the settings to change, as create_queue() describes them: visibility_timeout, max_receives, dead_letter_queue, retention_seconds, delay_seconds, deduplication_scope. Others stay. {"retention_seconds": null} keeps messages forever, {"max_receives": null, "dead_letter_queue": null} ends the moves to the dead letter queue.
Returns the settings that the queue has then.
Errors: OX001 no such queue or dead letter queue, OX004 invalid argument, or a setting that can't be changed, as its kind, OX007 the queue belongs to a workflow or to Oxbow, or the dead letter queue of a standard queue is a FIFO queue.
Touches: queue.queue (waits for another call for the queue); queue.audit; reads queue.sqs_queue.$comment$;
