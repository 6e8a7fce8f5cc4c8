create or replace function queue._run_place(name text)
returns queue.run_place
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select row(coalesce(q.pool_id, q.queue_id), q.pool_id, case when q.pool_id is not null then q.queue_id end)::queue.run_place
    from queue.queue as q
    where q.name = '__wf_' || _run_place.name
  );
end
$function$;

comment on function queue._run_place(text) is
$comment$Returns where the continuation of a new run of a workflow belongs.
Returns null if the workflow was never started.
Touches: nothing; reads queue.queue.$comment$;
