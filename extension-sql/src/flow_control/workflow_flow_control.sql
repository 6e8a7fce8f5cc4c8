create or replace function queue.workflow_flow_control(name text)
returns setof queue.flow_state
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._require_current_tables();
  return query
    select q.flow_control - 'version', (q.flow_control -> 'version')::integer,
      (
        select count(*)
        from queue.workflow_admission as a
        where a.queue_id = q.queue_id
          and a.state = 'admitted'
          and not a.is_over
      ),
      (
        select count(*)
        from queue.workflow_admission as a
        where a.queue_id = q.queue_id
          and a.state <> 'admitted'
          and not a.is_over
      ),
      nullif(queue._admission_opens_at(
        q.queue_id, case when q.pool_id is null then queue._present_versions(q.queue_id) else array[1] end
      ), '-infinity')
    from queue.queue as q
    where q.name = '__wf_' || workflow_flow_control.name
      and q.flow_control is not null;
end
$function$;

comment on function queue.workflow_flow_control(text) is
$comment$Returns the flow control of a workflow and its current state.
Returns one row; no row if the workflow has no flow control.
Touches: nothing; reads queue.queue, and counts the workflow's rows of queue.workflow_admission.$comment$;
