create or replace function queue.workflow_commit_tx(
  run_id        bigint,
  receipt       bigint,
  step_name     text,
  output        jsonb default null,
  attempts      integer default 1,
  duration      double precision default 0,
  known         jsonb default null,
  decisions     jsonb default null,
  stream_chunks jsonb[] default null
)
returns text
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_chunks  constant integer := coalesce(cardinality(stream_chunks), 0);
  v_held    boolean;
  v_read_ct integer;
  v_bytes   integer;
  v_place   integer;
begin
  if queue._is_step_name(step_name) is not true then
    perform queue._raise_step_name(array[step_name]);
  end if;
  if num_nulls(attempts, duration) > 0 then
    perform queue._raise('OX004', format('step "%s" of run %s lacks its attempts or duration', step_name, run_id), null,
      'Give both, or leave out both.');
  end if;
  -- An attempt whose answer was lost holds this lock until it ends.
  select m.receipt = workflow_commit_tx.receipt, m.read_ct into v_held, v_read_ct
  from queue.workflow_continuation as m
  where m.msg_id = workflow_commit_tx.run_id
  for no key update;
  if v_held is not true then
    return case queue._outcome_without_lease(run_id, receipt, false) when 'cancelled' then 'cancelled' else 'lost' end;
  end if;

  if known is not null and queue._find_lost_tails(array[run_id], array[true], array[known], null, null) <> '{}' then
    return 'lost';
  end if;

  -- Progress resets the count of deliveries without any.
  if v_read_ct > 1 then
    update queue.workflow_continuation as m
    set restarts = coalesce(m.restarts, 0) + 1,
      read_ct = 1,
      visible_at = case
        when m.suspect_at < 'infinity' then clock_timestamp() + interval '1 second'
        else m.visible_at
      end,
      suspect_at = null,
      deaths = null
    where m.msg_id = workflow_commit_tx.run_id;
  end if;

  insert into queue.workflow_step as s (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, decisions
  )
  select workflow_commit_tx.run_id, v_now - make_interval(secs => duration / 1000), v_now,
    coalesce(max(j.position), 0) + 1, workflow_commit_tx.attempts,
    queue._large_row_size(workflow_commit_tx.output, null, workflow_commit_tx.decisions),
    workflow_commit_tx.step_name, 'tx', workflow_commit_tx.output, workflow_commit_tx.decisions
  from queue.workflow_step as j
  where j.run_id = workflow_commit_tx.run_id
  on conflict on constraint workflow_step_pkey do nothing
  returning s.bytes, s.position into v_bytes, v_place;
  if not found then
    return 'repeated';
  end if;
  if v_bytes > 65536 or v_place % 64 = 0 then
    perform queue._require_journal_size(array[run_id]);
    perform queue._require_journal_rows(array[run_id], array[run_id], null, array[1], array[v_place]);
  end if;

  -- Only a worker of an older version, or a version in which the step was of another kind, has left chunks of a call that
  -- doesn't count.
  if v_chunks > 0 or (attempts > 1 or v_read_ct > 1) and exists (
    select from queue.workflow_stream_chunk as c where c.run_id = workflow_commit_tx.run_id
  ) then
    perform queue._append_stream(
      array[run_id], array[receipt], array[true], array[1], array[step_name], array[attempts],
      array_fill(1, array[v_chunks]), array_fill(step_name, array[v_chunks]), array_fill(attempts, array[v_chunks]),
      array(select generate_series(1, v_chunks)), stream_chunks, v_now
    );
  end if;
  return 'ok';
end
$function$;

comment on function queue.workflow_commit_tx(bigint, bigint, text, jsonb, integer, double precision, jsonb, jsonb, jsonb[]) is
$comment$Journals a step in the caller's transaction, so that everything else in that transaction happens exactly once. Call it last, right before COMMIT: it locks the run. Don't call it while another commit of the same run is in progress.
receipt: of the delivery.
step_name: 1 to 512 characters without control characters.
output: what the step returned.
attempts: how many times the step was called.
duration: milliseconds.
known: as in workflow_commit(), for this run.
decisions: of the body before this step, as in queue.workflow_step.decisions.
stream_chunks: what this call has written to the run's stream, in order: see workflow_stream(). Chunks that an earlier call of the step has left are superseded.
Returns ok; repeated, if the journal already has the step; lost, if the receipt is dead or the known fact is missing; or cancelled. Roll back unless it is ok. If the answer to COMMIT was lost, call it again in a new transaction: repeated means that the first one was committed.
Errors: OX003 invalid name of the step, OX004 invalid argument, OX008 the journal of the run would exceed 128 MiB or 100,000 rows.
Touches: queue.workflow_continuation, queue.workflow_step; for chunks queue.workflow_stream_chunk.$comment$;
