create or replace function queue._forget_generations(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  delete from queue.workflow_failed_attempt as f where f.run_id = any (run_ids);
  -- A step of the next generation may have the name of one that has started a child.
  update queue.workflow_run as c
  set parent_run_id = null,
    parent_step = null,
    is_detached = null
  where c.parent_run_id = any (run_ids);

  -- A client may repeat a signal, and a reader be behind, while the run continues. So both get one more generation.
  delete from queue.workflow_signal_receipt as d
  where d.run_id = any (run_ids)
    and d.generation is not null;
  update queue.workflow_signal_receipt as d
  set generation = r.generation - 1
  from queue.workflow_run as r
  where r.run_id = any (run_ids)
    and d.run_id = r.run_id;

  -- The last chunk stays in any case: the next one takes the position after it.
  delete from queue.workflow_stream_chunk as c
  using (
    select w.run_id, max(w.position) as position
    from queue.workflow_stream_chunk as w
    where w.run_id = any (run_ids)
    group by w.run_id
  ) as last
  where c.run_id = last.run_id
    and c.attempt < 0
    and c.position < last.position;
  -- A negative attempt makes room for the calls of the next generation, which are counted from 1 again.
  update queue.workflow_stream_chunk as c
  set attempt = -1 - c.attempt
  where c.run_id = any (run_ids)
    and c.attempt >= 0;
end
$function$;

comment on function queue._forget_generations(bigint[]) is
$comment$Takes away what the steps of an ended generation have left beside the journal: failed attempts, subscriptions of waits, and the links to child runs, which continue by themselves. Ids of deduplicated signals and chunks of the stream are kept for one more generation; the attempts of these chunks become negative.
run_ids: of runs that continue as new, with the number of the next generation.
Touches: queue.workflow_failed_attempt, queue.workflow_run of children, queue.workflow_signal_receipt, queue.workflow_stream_chunk.$comment$;
