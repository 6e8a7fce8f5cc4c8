create or replace function queue._set_workflow_pool(name text, pool text)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_pool_id constant integer := queue._create_pool(pool);
  v_queue   constant text := '__wf_' || _set_workflow_pool.name;
  v_found   record;
begin
  if queue._workflow_queue_id(name) is null then
    perform queue._create_workflow_queue(name, v_pool_id);
    return;
  end if;
  select q.queue_id, q.pool_id, q.flow_control into v_found
  from queue.queue as q
  where q.name = v_queue;
  if v_found.pool_id is not distinct from v_pool_id then
    return;
  end if;

  if v_found.pool_id is null then
    if exists (select from queue.workflow_continuation as m where m.queue_id = v_found.queue_id) then
      perform queue._raise('OX009', format('workflow "%s" has runs outside of pools', name), null,
        'Wait until these runs have ended, or cancel them.');
    end if;
    execute format('drop view if exists queue.%I', 'q_' || v_queue);
  end if;
  if v_found.flow_control is not null then
    perform queue._mark_pool_limited(v_pool_id);
  end if;
  update queue.queue as q set pool_id = v_pool_id where q.queue_id = v_found.queue_id;
end
$function$;

comment on function queue._set_workflow_pool(text, text) is
$comment$Lets the workers of a pool receive the runs of a workflow that start from now on, and creates the queues of both, unless they exist. Runs in flight stay in the pool in which they started. Call it before the first start of the workflow: a start that is under way at the first call may miss the pool.
Errors: OX003 invalid name, OX009 it has runs that were started outside of pools.
Touches: as _create_pool(), _create_workflow_queue() and _mark_pool_limited(); queue.queue; reads queue.workflow_continuation.$comment$;
