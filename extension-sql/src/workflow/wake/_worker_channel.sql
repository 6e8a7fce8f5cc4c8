create or replace function queue._worker_channel(name text)
returns text
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select 'queue_' || coalesce(p.name, q.name)
    from queue.queue as q
    left join queue.queue as p on p.queue_id = q.pool_id
    where q.name = '__wf_' || _worker_channel.name
  );
end
$function$;

comment on function queue._worker_channel(text) is
$comment$Returns the channel on which the workers that receive the runs of a workflow listen: that of its pool, or of the workflow.
Returns the channel's name; null if the workflow was never started.
Touches: nothing; reads queue.queue.$comment$;
