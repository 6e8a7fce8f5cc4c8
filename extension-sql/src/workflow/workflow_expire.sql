create or replace function queue.workflow_expire(max_runs integer default 100)
returns integer
language plpgsql
volatile
security definer
-- plans: index, generic
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  -- A worker that executes the run ends it itself, with the steps that have just finished.
  v_grace   constant interval := interval '250 milliseconds';
  v_locked  bigint[];
  v_is_full boolean;
  v_parents bigint[];
  v_free    bigint[];
  v_busy    bigint[] := array[]::bigint[];
  v_ended   bigint[];
  v_errors  jsonb[];
begin
  perform queue._check_count(max_runs, 'max_runs', 10000, 'End between 1 and 10000 runs at a time.');
  if not queue._migrate_if_older() then
    return 0;
  end if;
  if not exists (
    select
    from queue.workflow_run as r
    where r.deadline <= v_now
      and r.status = 'running'
  ) or queue._must_hold(false) then
    return 0;
  end if;

  loop
    v_locked := array(
      select m.msg_id
      from queue.workflow_run as r
      join queue.workflow_continuation as m on m.msg_id = r.run_id
      where r.deadline <= v_now
        and r.status = 'running'
        and (m.receipt is null or m.visible_at <= v_now or r.deadline <= v_now - v_grace)
        and (not r.is_detached and r.parent_run_id = any (v_busy)) is not true
      order by r.deadline
      limit max_runs
      for no key update of m skip locked
    );
    v_is_full := cardinality(v_locked) = max_runs;
    -- Read again under the locks: a deadline may have been removed just before.
    v_locked := array(
      select r.run_id
      from queue.workflow_run as r
      where r.run_id = any (v_locked)
        and r.deadline <= v_now
        and r.status = 'running'
    );
    v_parents := array(
      select distinct r.parent_run_id
      from queue.workflow_run as r
      join queue.workflow_run as p on p.run_id = r.parent_run_id
      where r.run_id = any (v_locked)
        and not r.is_detached
        and p.status = 'running'
    );
    -- No lock is waited for: if another transaction has locked the parent, a later call ends the run.
    v_free := queue._try_lock_runs(v_parents);
    -- Such runs leave their places to others.
    exit when not v_is_full or v_parents <@ v_free;
    v_busy := v_busy || array(select p from unnest(v_parents) as p where p <> all (v_free));
  end loop;

  select array_agg(r.run_id order by r.deadline), array_agg(queue._deadline_error(r.run_id, r.deadline) order by r.deadline)
  into v_ended, v_errors
  from queue.workflow_run as r
  where r.run_id = any (v_locked)
    and (
      r.parent_run_id is null
      or r.is_detached
      or r.parent_run_id = any (v_free)
      or not exists (select from queue.workflow_run as p where p.run_id = r.parent_run_id and p.status = 'running')
    );
  if v_ended is null then
    return 0;
  end if;

  perform queue._notify_worker(r.workflow_name, r.run_id)
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = any (v_ended)
    and m.receipt is not null;
  perform queue._end_runs(
    v_ended, array_fill('failed'::text, array[cardinality(v_ended)]), null, v_errors, null, v_now
  );
  return cardinality(v_ended);
end
$function$;

comment on function queue.workflow_expire(integer) is
$comment$Fails runs whose deadline has passed with DeadlineExceeded, earliest first. A run that no worker is executing fails immediately; one with a live lease fails a moment later, so that its worker can end it with the steps that have just finished. Nothing is rolled back. Workers and servers call this a few times a second; concurrent callers share the work.
max_runs: bound of one call, 1 to 10000.
Returns how many runs it ended; 0 while the database is held as a copy: see release_incarnation().
Errors: OX004 invalid argument.
Touches: queue.workflow_continuation, also of parents (SKIP LOCKED), queue.workflow_run, queue.workflow_step, queue.workflow_admission.$comment$;
