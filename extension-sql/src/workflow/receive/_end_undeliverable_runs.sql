create or replace function queue._end_undeliverable_runs(run_ids bigint[], ended_at timestamptz)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_free    constant bigint[] := array(
    select r.run_id
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
    for no key update skip locked
  );
  v_parents constant bigint[] := array(
    select distinct r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
      and r.parent_run_id is not null
      and not r.is_detached
  );
  -- Never null: a condition that is always null implies that of each partial index, which would be read in full.
  v_locked  constant bigint[] := queue._try_lock_runs(v_parents);
  v_ended   bigint[];
  v_errors  jsonb[];
begin
  v_ended := array(
    select i.run_id
    from unnest(run_ids) with ordinality as i (run_id, position)
    where i.run_id = any (v_free)
      and not exists (
        select
        from queue.workflow_run as r
        join queue.workflow_run as p on p.run_id = r.parent_run_id
        where r.run_id = i.run_id
          and not r.is_detached
          and p.status = 'running'
          and not p.run_id = any (v_locked)
      )
    order by i.position
  );
  -- A receive does not wait for a transaction that has locked one of these runs or their parents.
  if cardinality(v_ended) < cardinality(run_ids) then
    update queue.workflow_continuation as m
    set visible_at = clock_timestamp() + interval '100 milliseconds',
      suspect_at = null
    where m.msg_id = any (run_ids)
      and not m.msg_id = any (v_ended);
  end if;

  select array_agg(
    case
      when r.deadline <= ended_at then queue._deadline_error(r.run_id, r.deadline)
      else jsonb_build_object(
        'name', 'PoisonedRun',
        'code', 'POISONED_RUN',
        'message', format(
          case
            when m.deaths is null then 'run %s was delivered to 100 workers in a row that died, although it made progress'
            else 'run %s was delivered to 10 workers in a row that died before it made progress'
          end, r.run_id)
      )
    end
    order by i.position
  )
  into v_errors
  from unnest(v_ended) with ordinality as i (run_id, position)
  join queue.workflow_run as r on r.run_id = i.run_id
  join queue.workflow_continuation as m on m.msg_id = i.run_id;

  perform queue._end_runs(
    v_ended, array_fill('failed'::text, array[cardinality(v_ended)]), null, v_errors, null, ended_at
  );
end
$function$;

comment on function queue._end_undeliverable_runs(bigint[], timestamptz) is
$comment$Fails runs that were just claimed but are past their deadline, or have crashed their workers too often, as _claim_runs() decides. If another transaction has locked the run or its parent, the run is postponed by 100 ms instead.
Touches: queue.workflow_continuation, also of parents (without waiting), queue.workflow_run, queue.workflow_step.$comment$;
