create or replace function queue._create_workflow_queue(name text, pool_id integer default null)
returns integer
language plpgsql
volatile
as $function$
declare
  v_queue    constant text := '__wf_' || _create_workflow_queue.name;
  v_settings queue.queue_settings;
begin
  perform queue._check_workflow_name(_create_workflow_queue.name);

  if pool_id is not null then
    -- A view for each definition would cost more than the rest of its creation, and nothing reads it.
    perform queue._lock_name('create:' || v_queue);
    insert into queue.queue as q (name, kind, visibility_timeout, pool_id)
    values (v_queue, 'workflow', 30, _create_workflow_queue.pool_id)
    on conflict on constraint queue_pkey do nothing;
    return queue._workflow_queue_id(_create_workflow_queue.name);
  end if;
  v_settings.name := v_queue;
  v_settings.kind := 'workflow';
  v_settings.visibility_timeout := 30;
  perform queue._register_queue(v_settings);
  return queue._workflow_queue_id(_create_workflow_queue.name);
end
$function$;

comment on function queue._create_workflow_queue(text, integer) is
$comment$Creates the queue of a workflow at its first start.
pool_id: the pool whose workers receive its runs; null means workers that name the workflow.
Returns its queue_id.
Errors: OX003 invalid workflow name.
Touches: as _register_queue(); with a pool, it creates no view.$comment$;
