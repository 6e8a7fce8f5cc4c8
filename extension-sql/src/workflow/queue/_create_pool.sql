create or replace function queue._create_pool(pool text)
returns integer
language plpgsql
volatile
as $function$
declare
  v_queue   constant text := '__wf_@' || pool;
  v_pool_id integer;
begin
  perform queue._check_pool_name(pool);
  -- The second of two concurrent calls waits here and then finds the pool.
  perform queue._lock_name('create:' || v_queue);
  select q.queue_id into v_pool_id from queue.queue as q where q.name = v_queue;
  if not found then
    insert into queue.queue as q (name, kind, visibility_timeout)
    values (v_queue, 'workflow', 30)
    returning q.queue_id into v_pool_id;
    update queue.queue as q set pool_id = q.queue_id where q.queue_id = v_pool_id;
    perform queue._create_workflow_view(v_queue);
  end if;
  return v_pool_id;
end
$function$;

comment on function queue._create_pool(text) is
$comment$Creates the queue of a pool, unless it exists. Workers name the pool "@<pool>", as no workflow is named.
Returns its queue_id.
Errors: OX003 invalid name.
Touches: the name, locked until the transaction ends; queue.queue; creates a view of its continuations.$comment$;
