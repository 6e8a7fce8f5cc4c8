create or replace function queue.sqs_tag_queue(sqs_name text, tags jsonb default '{}', removed text[] default '{}')
returns queue.sqs_queue_state
language plpgsql
volatile
security definer
as $function$
declare
  v_queue queue.sqs_queue_state;
begin
  if (jsonb_typeof(sqs_tag_queue.tags) = 'object') is not true then
    perform queue._raise('OX004', 'tags are not a JSON object', null, 'Pass strings by name.');
  end if;
  v_queue := queue.sqs_find_queue(sqs_tag_queue.sqs_name);
  perform queue._record_sqs_queue(v_queue, '{}', sqs_tag_queue.tags, coalesce(sqs_tag_queue.removed, '{}'));
  v_queue := queue.sqs_find_queue(sqs_tag_queue.sqs_name);
  if ((select count(*) from jsonb_object_keys(v_queue.tags)) <= 50) is not true then
    perform queue._raise('OX004', format('queue "%s" would have more than 50 tags', v_queue.sqs_name), null,
      'Remove tags first.');
  end if;
  return v_queue;
end
$function$;

comment on function queue.sqs_tag_queue(text, jsonb, text[]) is
$comment$Adds and removes tags of a queue.
tags: strings by name, in the place of those with the same names.
removed: names of tags that go. Names that the queue doesn't have are ignored.
Returns the queue.
Errors: OX001 no such queue, OX004 invalid argument, or more than 50 tags.
Touches: queue.sqs_queue (waits for another call for the queue).$comment$;
