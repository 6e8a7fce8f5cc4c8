create or replace function queue._rewind_run(run_id bigint, error jsonb)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  if error is not null then
    perform queue._remove_failure(run_id, error);
  end if;
  -- A step that waits for a run which failed, or was cancelled with this one, gets a new one.
  update queue.workflow_run as c
  set parent_run_id = null,
    parent_step = null,
    is_detached = null
  where c.parent_run_id = _rewind_run.run_id
    and c.is_detached is not true
    and (
      c.status in ('failed', 'cancelled')
      -- It is still being rolled back.
      or exists (
        select from queue.workflow_continuation as m where m.msg_id = c.run_id and m.headers ? 'cancelled'
      )
    )
    and not exists (
      select
      from queue.workflow_step as s
      where s.run_id = c.parent_run_id
        and s.step_name = c.parent_step
    );
  -- The same of a run in another shard, as far as its end has arrived. Of later ones: see _accept_child_end().
  delete from queue.workflow_buffered_signal as b
  where b.run_id = _rewind_run.run_id
    and starts_with(b.event, ' child:')
    and b.payload ? 'error';
  -- Steps that are called again count their calls from 1.
  perform queue._supersede_chunks(
    array_agg(c.run_id), array_agg(c.step_name), array_agg(c.attempt), null, null, clock_timestamp()
  )
  from (
    select o.run_id, o.step_name, max(o.attempt) as attempt
    from queue.workflow_stream_chunk as o
    where o.run_id = _rewind_run.run_id
      and o.step_name <> ''
      -- Not of an earlier generation.
      and o.attempt >= 0
    group by o.run_id, o.step_name
  ) as c
  where not exists (
    select
    from queue.workflow_step as s
    where s.run_id = c.run_id
      and s.step_name = c.step_name
  )
  having count(*) > 0;
end
$function$;

comment on function queue._rewind_run(bigint, jsonb) is
$comment$Takes back what a retry of a run repeats: the step that failed it and what followed from that, as _remove_failure(), and what unfinished steps have streamed.
error: of the run; null if it was cancelled, which keeps its journal.
Touches: queue.workflow_step, queue.workflow_failed_attempt, queue.workflow_stream_chunk, queue.workflow_buffered_signal; queue.workflow_run of children, which it detaches; reads queue.workflow_continuation.$comment$;
