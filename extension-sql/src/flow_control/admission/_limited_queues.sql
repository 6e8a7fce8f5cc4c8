create or replace function queue._limited_queues(names text[], versions jsonb, limited integer[])
returns setof queue.limited_queue
language plpgsql
stable
-- plans: index, generic
as $function$
begin
  return query
    select coalesce(w.queue_id, q.queue_id), n.name,
      case
        when q.pool_id is null then
          coalesce(queue._served_versions(versions, n.name), queue._present_versions(q.queue_id))
        else array[1]
      end
    from unnest(names) with ordinality as n (name, position)
    join queue.queue as q on q.name = '__wf_' || n.name
    left join lateral (
      select a.queue_id
      from unnest(queue._queues_with_admissions()) as a (queue_id)
      join queue.queue as m on m.queue_id = a.queue_id
      where q.pool_id = q.queue_id
        and m.pool_id = q.pool_id
    ) as w on true
    where q.queue_id = any (limited)
      and (w.queue_id is not null or q.pool_id is null)
    order by n.position;
end
$function$;

comment on function queue._limited_queues(text[], jsonb, integer[]) is
$comment$Lists the workflows with flow control for which a receive must look, each with the name by which it is received: a pool counts as those of its workflows that have runs to admit.
names, versions: as in workflow_receive().
limited: queues of these names that have flow control.
Returns one row per workflow, in the order of the names.
Touches: nothing; reads queue.queue; as _queues_with_admissions().$comment$;
