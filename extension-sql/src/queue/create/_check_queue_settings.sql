create or replace function queue._check_queue_settings(settings queue.queue_settings)
returns void
language plpgsql
volatile
as $function$
declare
  v_dead_letter_kind text;
begin
  perform queue._duration((settings).visibility_timeout, 'visibility timeout');
  perform queue._duration((settings).delay_seconds, 'delay');
  if ((settings).max_receives >= 1) is false then
    perform queue._raise('OX004', format('invalid max_receives %s', (settings).max_receives), null,
      'A message is delivered at least once before it moves to the dead letter queue.');
  end if;
  if ((settings).retention_seconds between 1 and 315360000) is false then
    perform queue._raise('OX004', format('invalid retention of %s seconds', (settings).retention_seconds), null,
      'A retention is between 1 and 315360000 seconds (10 years); null keeps messages forever.');
  end if;
  if ((settings).deduplication_scope in ('queue', 'group')) is not true then
    perform queue._raise('OX004', format('invalid deduplication_scope "%s"', coalesce(left((settings).deduplication_scope, 40), 'null')),
      null, 'Deduplication ids count within the queue or within the group.');
  end if;
  if num_nulls((settings).max_receives, (settings).dead_letter_queue) = 1 then
    perform queue._raise('OX004', 'max_receives and dead_letter_queue require each other', null,
      'Pass both, or neither. The dead letter queue must exist.');
  end if;
  if ((settings).dead_letter_queue = (settings).name) is true then
    perform queue._raise('OX004', format('queue "%s" cannot be its own dead letter queue', (settings).name), null,
      'Create another queue for dead letters.');
  end if;
  if (settings).dead_letter_queue is not null then
    v_dead_letter_kind := (queue._find_queue((settings).dead_letter_queue)).kind;
    if ((settings).kind = v_dead_letter_kind or (settings).kind = 'fifo') is not true then
      perform queue._raise('OX007', format('queue "%s" is a fifo queue', (settings).dead_letter_queue), null,
        'Dead letters of a standard queue have no message group. Create a standard queue for them.');
    end if;
    perform queue._lock_queue_shared((settings).dead_letter_queue);
  end if;
end
$function$;

comment on function queue._check_queue_settings(queue.queue_settings) is
$comment$Checks the settings of a queue before it is created or changed.
Errors: OX001 no such dead letter queue, OX004 invalid argument, OX007 the dead letter queue of a standard queue is a FIFO queue or belongs to a workflow.
Touches: reads queue.queue; as _lock_queue_shared(), the dead letter queue.$comment$;
