create or replace function queue.workflow_commit(
  names            text[],
  run_ids          bigint[],
  receipts         bigint[],
  transitions      text[],
  results          jsonb[],
  resume_at        timestamptz[],
  step_items       integer[] default null,
  step_positions   integer[] default null,
  step_names       text[] default null,
  step_kinds       text[] default null,
  step_outputs     jsonb[] default null,
  step_errors      jsonb[] default null,
  step_attempts    integer[] default null,
  step_durations   double precision[] default null,
  state_items      integer[] default null,
  state_keys       text[] default null,
  state_values     jsonb[] default null,
  stream_items     integer[] default null,
  stream_steps     text[] default null,
  stream_attempts  integer[] default null,
  stream_numbers   integer[] default null,
  stream_chunks    jsonb[] default null,
  effect_items     integer[] default null,
  effect_kinds     text[] default null,
  effect_steps     text[] default null,
  effect_targets   text[] default null,
  effect_events    text[] default null,
  effect_values    jsonb[] default null,
  effect_versions  integer[] default null,
  effect_retention integer[] default null,
  effect_traces    jsonb[] default null,
  known            jsonb[] default null,
  skip_locked      boolean default false,
  step_decisions   jsonb[] default null
)
returns setof queue.workflow_commit_result
language plpgsql
volatile
security definer
-- plans: index, generic
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_ends     boolean;
  v_moves    boolean;
  v_reaches  boolean;
  v_waits    boolean;
  v_retries  boolean;
  v_streams  boolean;
  v_listens  boolean;
  v_reached  bigint[];
  v_held     boolean[];
  v_leases   integer[];
  v_grown    bigint[];
  v_resolved jsonb;
  v_kept     bigint[];
  v_invalid  text[];
begin
  -- Most commits journal one step of one run. Each statement costs a twentieth of that, and a condition without a query
  -- next to nothing. So conditions guard the statements, and one statement answers several questions.
  if queue._is_behind() then
    perform queue._migrate_if_older();
  end if;
  if queue._must_record_clock(v_now) then
    perform queue._record_clock(v_now);
  end if;
  -- One step of one run.
  if cardinality(run_ids || receipts) = 2 and cardinality(transitions) = 1 and names[1] is not null
    and greatest(
      cardinality(step_items), cardinality(step_positions), cardinality(step_names), cardinality(step_kinds),
      cardinality(step_outputs), cardinality(step_errors), cardinality(step_attempts), cardinality(step_durations)
    ) = 1
    and step_items[1] = 1
    and queue._is_step_name(step_names[1])
    and num_nonnulls(effect_items, state_items, stream_items) = 0
    and (transitions[1] = 'complete' or transitions[1] = 'keep' and results is null)
    and not coalesce(skip_locked, false)
  then
    if queue._commit_one_step(
      run_ids, receipts, transitions, results, step_positions, step_names, step_kinds, step_outputs, step_errors,
      step_attempts, step_durations, known, step_decisions, v_now
    ) then
      return query select run_ids[1], receipts[1], 'ok', null::jsonb;
      return;
    end if;
  end if;
  if queue._is_plain_commit(names, run_ids, receipts, transitions, results) is not true then
    perform queue._check_commit(names, run_ids, receipts, transitions, results);
  end if;
  v_ends := transitions && array['complete', 'fail', 'cancel'];
  v_moves := transitions && array['suspend', 'release'] or 'keep' = any (transitions) and queue._has_value(results);
  v_streams := stream_items is not null;
  v_reaches := effect_items is not null;
  if v_reaches then
    perform queue._check_effects(
      cardinality(run_ids), effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_versions,
      effect_retention
    );
    if 'cancel' = any (effect_kinds) then
      effect_targets := queue._find_abandoned_children(run_ids, effect_items, effect_kinds, effect_steps, effect_targets);
    end if;
  elsif v_ends then
    -- If no run has a parent, which a small index shows, no end reaches another run.
    v_reaches := exists (select from queue.workflow_run as r where r.parent_run_id > 0);
  end if;

  if step_items is not null and queue._are_step_names(coalesce(step_names, '{null}')) is not true
    or effect_items is not null and queue._are_step_names(effect_steps) is not true
    or state_items is not null and queue._are_step_names(coalesce(state_keys, '{null}')) is not true
    or stream_items is not null and queue._are_step_names(coalesce(array_remove(stream_steps, ''), '{null}')) is not true
  then
    perform queue._raise_step_name(step_names || effect_steps || state_keys || array_remove(stream_steps, ''));
  end if;

  -- The lock on its continuation is the lock on a run: receive, commit, signal and cancel all begin with it.
  if 'cancel' = any (effect_kinds) then
    select l.leases, l.reached
    into v_leases, v_reached
    from queue._lock_leases_and_children(
      run_ids, receipts, transitions, effect_kinds, effect_targets, known, coalesce(skip_locked, false)
    ) as l;
  else
    if v_reaches then
      v_reached := queue._affected_runs(run_ids, transitions, effect_kinds, effect_targets);
    end if;
    v_leases := queue._lock_leases(run_ids, receipts, v_reached, known, coalesce(skip_locked, false));
  end if;
  v_held := v_leases::boolean[];
  if skip_locked and v_reached is not null then
    v_held := queue._skip_blocked_runs(
      v_held, v_reached, run_ids, transitions, effect_items, effect_kinds, effect_targets
    );
  end if;
  if skip_locked and (v_ends or transitions && array['retry', 'continue']) then
    v_held := queue._skip_locked_records(v_held, run_ids, transitions);
  end if;
  if -1 = any (v_leases) then
    v_held := queue._end_lost_tails(run_ids, v_held, known, step_items, step_positions);
  end if;

  if effect_items is not null then
    perform queue._apply_effects(
      run_ids, v_held, effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values,
      effect_versions, effect_retention, effect_traces
    );
  end if;

  if step_items is not null then
    with journaled as (
      insert into queue.workflow_step (
        run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error, decisions
      )
      select run_ids[s.item], v_now - make_interval(secs => s.duration / 1000), v_now, s.position, s.attempts,
        queue._large_row_size(s.output, s.error, s.decisions), s.name, s.kind, s.output, s.error, s.decisions
      from (
        -- Reads by index: unnest() of nine arrays fills nine tuplestores, which costs more than the row.
        select step_items[n] as item, step_positions[n] as "position", step_names[n] as name, step_kinds[n] as kind,
          step_outputs[n] as output, step_errors[n] as error, step_attempts[n] as attempts,
          step_durations[n] as duration, step_decisions[n] as decisions
        from generate_series(1, greatest(
          cardinality(step_items), cardinality(step_positions), cardinality(step_names), cardinality(step_kinds),
          cardinality(step_outputs), cardinality(step_errors), cardinality(step_attempts), cardinality(step_durations)
        )) as n
      ) as s
      where queue._is_held(v_held, s.item)
        -- A commit repeated after a lost answer finds its steps. The lock on the run keeps others from journaling, and
        -- without ON CONFLICT a row is one record less of WAL.
        and (
          select true from queue.workflow_step as w where w.run_id = run_ids[s.item] and w.step_name = s.name
        ) is null
      returning run_id, position, bytes
    )
    select
      -- Runs whose journals may have become too large. Small values add up as well, but slowly.
      array_agg(j.run_id) filter (where j.bytes > 65536 or j.position % 64 = 0),
      v_streams or exists (
        select from queue.workflow_stream_chunk as c where c.run_id = any (workflow_commit.run_ids)
      )
    into v_grown, v_streams
    from journaled as j;
  end if;

  if state_items is not null then
    perform queue._set_state(run_ids, v_held, state_items, state_keys, state_values, v_now);
  end if;
  if v_streams then
    perform queue._append_stream(
      run_ids, receipts, v_held, step_items, step_names, step_attempts, stream_items, stream_steps, stream_attempts,
      stream_numbers, stream_chunks, v_now
    );
  end if;

  if v_moves then
    select
      bool_or(c.body -> 'waits' @> '[{"kind": "event"}]' or c.body -> 'waits' @> '[{"kind": "invoke"}]'),
      bool_or(c.body -> 'retries' @> '[{}]'),
      exists (select from queue.subscription as s where s.target_type = 'run'),
      array_agg(n.invalid) filter (where n.invalid is not null)
    into v_waits, v_retries, v_listens, v_invalid
    from unnest(results) as c (body)
    cross join lateral (
      select min(coalesce(p.step #>> '{}', '')) as invalid
      from jsonb_path_query(c.body, '$.*[*].step') as p (step)
      where queue._is_step_name(p.step #>> '{}') is not true
    ) as n;
    if v_invalid is not null then
      perform queue._raise_step_name(v_invalid);
    end if;
  end if;
  if v_waits then
    v_resolved := queue._resolve_waits(run_ids, transitions, results, v_held, v_now);
    v_grown := v_grown || array(
      select i.run_id from unnest(run_ids) with ordinality as i (run_id, item) where v_resolved ? i.item::text
    );
  end if;
  if v_grown <> '{}' then
    perform queue._require_journal_size(v_grown);
    perform queue._require_journal_rows(run_ids, v_grown, results, step_items, step_positions);
  end if;
  if v_retries then
    perform queue._record_failed_attempts(run_ids, results, v_held, v_now);
  end if;
  if v_moves then
    perform queue._move_continuations(run_ids, transitions, results, resume_at, v_held, v_resolved);
  end if;
  if v_listens then
    perform queue._unsubscribe_waits(run_ids);
  end if;
  if 'retry' = any (transitions) then
    perform queue._retry_committed_runs(run_ids, transitions, results, resume_at, v_held, v_now);
  end if;
  if 'continue' = any (transitions) then
    v_kept := queue._continue_committed_runs(run_ids, transitions, results, v_held, v_now);
  end if;
  if v_ends then
    v_kept := v_kept || queue._end_committed_runs(run_ids, receipts, transitions, results, v_held, v_now);
  end if;
  -- Last, since a child may end in the same commit.
  if 'cancel' = any (effect_kinds) then
    perform queue._cancel_abandoned_children(
      run_ids, v_held, effect_items, effect_kinds, effect_steps, effect_targets
    );
  end if;

  if false = any (v_held) then
    perform queue._uncount_deaths(receipts);
  end if;

  return query
    select run_ids[n], receipts[n],
      case
        when run_ids[n] = any (v_kept) then 'cancelled'
        when v_held[n] then 'ok'
        when v_held[n] is null then 'busy'
        else queue._outcome_without_lease(run_ids[n], receipts[n], transitions[n] in ('complete', 'fail', 'cancel'))
      end,
      case when v_resolved is not null then v_resolved -> n::text -> 'resolved' end
    from generate_series(1, cardinality(run_ids)) as n
    order by n;
end
$function$;

comment on function queue.workflow_commit(text[], bigint[], bigint[], text[], jsonb[], timestamptz[], integer[], integer[], text[], text[], jsonb[], jsonb[], integer[], double precision[], integer[], text[], jsonb[], integer[], text[], integer[], integer[], jsonb[], integer[], text[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[], jsonb[], boolean, jsonb[]) is
$comment$Commits the progress of leased runs: journals their steps and gives each run its next state, for many runs in one statement. A run whose receipt is dead is left unchanged.
Waits of a new continuation are resolved in the same transaction: a wait for an invoked run takes its result if that run has ended, and an event wait takes the first buffered signal that matches. A wait with "expired": true that finds no signal times out. A resolved wait is journaled and returned, and a run that would be suspended keeps its lease.
names, run_ids, receipts, transitions, results, resume_at: parallel arrays with one element per run; a run occurs once.
transitions: keep, suspend, complete, fail, cancel, retry, continue or release; what each does with its result follows.
- keep: the worker keeps its lease. The result is the new continuation; null or {} leaves the continuation unchanged. {} and a new continuation also reset the count of deliveries that ends in PoisonedRun.
- suspend: the result is the continuation, which becomes visible at resume_at; null means when a signal arrives.
- complete: the run ends with the result as its output.
- fail: the run ends with the result as its error.
- cancel: as fail, for a run that was cancelled with rollback and has rolled back.
- retry: the body failed with the result as the error; the run gets another attempt at resume_at, as with workflow_retry().
- continue: the body returned ctx.continueAsNew(): the run begins its next generation with the result, {"input", "version"}, and an empty journal. Without version, it keeps its version.
- release: the lease ends and the run can be received again immediately, or at resume_at, as if it had not been received. A result {"reason"} is why the worker can't execute it, for workflow_explain() and workflow_refusals(); a run of a pool is received by version 2 of the pool until a worker has executed it.
results: a continuation is {"waits": [...], "retries": [...], "journaled": <rows in the journal>}. A wait without "since" begins with the commit.
step_...: parallel arrays with one element per step to journal.
step_items: the run, as an index into run_ids, from 1; state_items, stream_items and effect_items likewise.
step_positions: place in the journal, from 1.
step_names, also in continuations and effects, and state_keys: 1 to 512 characters without control characters. Steps that are journaled already may have others.
step_kinds: as in queue.workflow_step.kind.
step_durations: milliseconds.
step_decisions: as in queue.workflow_step.decisions.
state_...: parallel arrays with one element per value that a run publishes: see workflow_state().
stream_...: parallel arrays with one element per chunk of a run's stream: see workflow_stream().
stream_steps, stream_attempts, stream_numbers: the call that wrote the chunk, and the chunk's number within the call. An empty step is the body. A chunk that this delivery has already written is skipped; chunks of earlier attempts of the step, and of an earlier delivery of the same attempt, are superseded.
effect_...: parallel arrays with one element per effect of a step on other runs or topics, applied exactly once in this transaction. Of a run that was cancelled with rollback, invoke, item, detach, subscribe and approval are ignored.
effect_steps: the step that has the effect.
effect_kinds: invoke, item, detach, cancel, signal, publish, subscribe, approval or withdraw; what each does follows.
- invoke: starts a run of workflow effect_targets with input effect_values, effect_versions and effect_retention in days. The continuation waits for it by {"kind": "invoke", "step": ...}.
- item: as invoke, for an item of a loop of the same workflow. The run is a part of its parent: it has the deadline, retention and tags of that, and no admission.
- detach: as invoke, but the step ends immediately with the id of the new run.
- cancel: cancels the run that the step has invoked in an earlier commit, if it is running and not detached. effect_targets is null.
- signal: sends event effect_events with payload effect_values to run effect_targets; nothing happens if that run has been deleted.
- publish: sends effect_values to topic effect_targets.
- subscribe: while the step waits for event effect_events, it also takes messages of topics effect_targets that contain effect_values.
- approval: requests the approval for which the step waits. effect_values is {"title", "description", "form", "approvers", "quorum", "rejections", "excludeStarter", "expiresAt"}, of which only title is required. The wait of the step has "approval": true and the event that approval_decide() sends, " approval:<step>". The request is published to topic oxbow.approval.requested. A repeated commit requests nothing again.
- withdraw: ends the request of the step, which no longer waits for it.
effect_events: of invoke, detach and cancel, the route of the run; null if it is in this database. In another shard, the run starts soon after the commit, and detach ends with its id then. The wait has the route as well, and of detach "detached": true.
effect_traces: trace headers to pass on; null means those of the run.
known: per run, one fact that the last successful commit of this delivery wrote: {"step": <name>}, {"revision": <number in the continuation that grows>} or {"chunk": {"step", "attempt", "number"}}; {} before the first commit. If the fact is missing, a crash or failover has lost that commit: the outcome is lost, and the run can be received again immediately. If null, a gap before a step's position is detected the same way.
skip_locked: leave out runs that other transactions have locked, or that affect such runs, instead of waiting for them.
Returns one row per run, in order. outcome: ok; lost, if the receipt is dead; cancelled; or busy, if skip_locked left the run out. Only ok changed anything, except for the end or next generation of a run that was cancelled with rollback since it was received: its steps are journaled, and the outcome is cancelled. A commit repeated after a lost answer returns ok again and changes nothing. resolved: the waits that were resolved, [{"step": ..., "payload": ...}], with "expired": true instead of a payload for one that timed out, "kind": "invoke" for an invoked run, and "error" if that failed.
Errors: OX003 invalid name of a step, OX004 invalid argument, OX008 the journal of a run would exceed 128 MiB or 100,000 rows; those of workflow_signal() and send_topic(). 23502 or 23514: a step lacks a member, or has another kind.
Touches: queue.workflow_continuation, also of parents and of signalled runs, locked in the order of run ids; queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_run_state, queue.workflow_stream_chunk, queue.workflow_failed_attempt, queue.workflow_run; if runs continue as new, queue.workflow_generation and queue.workflow_signal_receipt; for effects as workflow_start_batch(), workflow_signal(), send_topic() and, of approvals, queue.approval.$comment$;
