create or replace function queue.sqs_list_queues(
  prefix         text default '',
  dead_letter_to text default null,
  max_queues     integer default 1000,
  after          text default ''
)
returns setof queue.sqs_queue_state
language plpgsql
stable
security definer
as $function$
begin
  perform queue._check_count(max_queues, 'max_queues', 10000, 'List between 1 and 10000 queues at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select q.*
    from queue._sqs_queues() as q
    where starts_with(q.sqs_name, coalesce(prefix, ''))
      and q.sqs_name collate "C" > coalesce(after, '')
      and (dead_letter_to is null or q.dead_letter_queue = dead_letter_to)
      and (queue._caller() = current_user or queue._may_use(q.name, 'read'))
    order by q.sqs_name collate "C"
    limit max_queues;
end
$function$;

comment on function queue.sqs_list_queues(text, text, integer, text) is
$comment$Lists queues as clients of SQS see them.
prefix: only queues whose names begin with it.
dead_letter_to: only queues whose dead letters go to the queue of this name; null for all.
max_queues: at most this many, 1 to 10000.
after: only queues whose names come after this one, for the next page.
Returns one row per queue, by name.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.queue, queue.sqs_queue.$comment$;
