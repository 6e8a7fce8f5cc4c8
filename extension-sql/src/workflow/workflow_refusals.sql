create or replace function queue.workflow_refusals()
returns setof queue.workflow_refusal
language plpgsql
stable
security definer
as $function$
begin
  perform queue._require_current_tables();
  return query
    select r.workflow_name, r.workflow_version, substr(p.name, 7), count(*),
      min((m.headers #>> '{refused,since}')::timestamptz),
      (array_agg(m.headers #>> '{refused,reason}' order by m.settled_receipt desc))[1]
    from queue.queue as p
    join queue.workflow_continuation as m
      on m.queue_id = p.queue_id
      and m.version = 2
    join queue.workflow_run as r on r.run_id = m.msg_id
    where p.pool_id = p.queue_id
      and m.headers ? 'refused'
      and (m.headers #>> '{refused,receipt}')::bigint = m.settled_receipt
    group by r.workflow_name, r.workflow_version, p.name
    order by r.workflow_name, r.workflow_version, p.name;
end
$function$;

comment on function queue.workflow_refusals() is
$comment$Lists versions whose runs the workers of a pool can't execute, for example because a node type is missing: they give these runs back, and receive them again only now and then.
Returns one row per version and pool, by name and version; no rows if there are no such runs.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.workflow_continuation of all pools, queue.workflow_run and queue.queue.$comment$;
