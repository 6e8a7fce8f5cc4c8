create or replace function queue.sqs_set_attributes(sqs_name text, settings jsonb default '{}', attributes jsonb default '{}')
returns queue.sqs_queue_state
language plpgsql
volatile
security definer
as $function$
declare
  v_queue queue.sqs_queue_state;
begin
  if (jsonb_typeof(sqs_set_attributes.attributes) = 'object') is not true then
    perform queue._raise('OX004', 'attributes are not a JSON object', null, 'Pass strings by name.');
  end if;
  v_queue := queue.sqs_find_queue(sqs_set_attributes.sqs_name);
  if sqs_set_attributes.settings <> '{}' then
    perform queue.alter_queue(v_queue.name, sqs_set_attributes.settings);
  end if;
  perform queue._record_sqs_queue(v_queue, sqs_set_attributes.attributes);
  return queue.sqs_find_queue(sqs_set_attributes.sqs_name);
end
$function$;

comment on function queue.sqs_set_attributes(text, jsonb, jsonb) is
$comment$Changes a queue for a client of SQS. What is not given stays.
settings: as alter_queue() takes them.
attributes: strings by name, for which queues have no setting; null removes one.
Returns the queue.
Errors: OX001 no such queue or dead letter queue, OX004 invalid argument.
Touches: queue.sqs_queue (waits for another call for the queue), and as alter_queue().$comment$;
