create or replace function queue._create_workflow_view(name text)
returns void
language plpgsql
volatile
as $function$
declare
  v_queue_id constant integer := (
    select q.queue_id from queue.queue as q where q.name = _create_workflow_view.name
  );
begin
  execute format($sql$
    create view queue.%1$I as
      select m.msg_id, m.visible_at, m.enqueued_at, m.receipt, m.settled_receipt, m.read_ct, m.version, m.message,
        m.headers
      from queue.workflow_continuation as m
      where m.queue_id = %2$s
  $sql$, 'q_' || _create_workflow_view.name, v_queue_id);
  execute format('comment on view queue.%1$I is %2$L', 'q_' || _create_workflow_view.name,
    format('Continuations of the workflow "%s", to look at. Change them only through functions of schema queue.',
      substr(_create_workflow_view.name, 6)));
end
$function$;

comment on function queue._create_workflow_view(text) is
$comment$Creates the view that shows the continuations of a workflow as if its queue had its own table.
name: of the queue.
Touches: creates queue.q_<name>.$comment$;
