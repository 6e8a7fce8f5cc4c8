create or replace function queue.list_queues()
returns setof queue.queue_settings
language plpgsql
stable
parallel safe
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;

  return query
    select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
      q.retention_seconds, q.suspected_at, q.delay_seconds, q.deduplication_scope,
      q.grouped_at, s.sqs_name
    from queue.queue as q
    left join queue.sqs_queue as s on s.queue_name = q.name and s.sqs_name <> q.name
    where q.kind <> 'workflow'
      and queue._may_use(q.name, 'read')
    order by q.name;
end
$function$;

comment on function queue.list_queues() is
$comment$Lists the queues that the caller may look at, with their settings, without those of workflows.
Returns one row per queue, by name.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.queue, queue.queue_grant, queue.sqs_queue.$comment$;
