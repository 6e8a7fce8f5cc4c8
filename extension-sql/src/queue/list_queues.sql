create or replace function queue.list_queues()
returns setof queue.queue_settings
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.queue') is null then
    return;
  end if;

  return query
    select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
      q.retention_seconds
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name;
end
$function$;

comment on function queue.list_queues() is
$comment$Lists the queues and their settings. Those of workflows are left out.
Returns one row a queue, by name.
Touches: nothing; reads queue.queue.$comment$;
