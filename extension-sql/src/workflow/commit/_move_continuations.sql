create or replace function queue._move_continuations(
  run_ids     bigint[],
  transitions text[],
  results     jsonb[],
  resume_at   timestamptz[],
  held        boolean[],
  resolved    jsonb
)
returns void
language plpgsql
volatile
-- plans: index, nested loop, generic
as $function$
declare
  -- A snapshot older than the lock on the run does not contain every signal and end of a child run that came before it. So a
  -- run that waits for one looks again.
  v_look_again constant timestamptz := case
    when current_setting('transaction_isolation') <> 'read committed' then clock_timestamp() + interval '1 minute'
  end;
begin
  if not exists (
    select
    from unnest(transitions, results) as i (transition, result)
    where i.transition in ('suspend', 'release')
      or i.transition = 'keep' and i.result is not null
  ) then
    return;
  end if;

  with moved as (
    select i.run_id,
      case when resolved ? i.item::text then 'keep' else i.transition end as transition,
      coalesce(resolved -> i.item::text -> 'continuation', i.result) as continuation,
      case
        when i.transition = 'release' then least(greatest(i.resume_at, clock_timestamp()), r.deadline)
        else least(
          coalesce(i.resume_at, 'infinity'), r.deadline,
          case
            when i.result -> 'waits' @> '[{"kind": "event"}]' or i.result -> 'waits' @> '[{"kind": "invoke"}]' then v_look_again
          end
        )
      end as resume_at,
      r.deadline
    from unnest(run_ids, transitions, results, _move_continuations.resume_at, held) with ordinality
      as i (run_id, transition, result, resume_at, held, item)
    join queue.workflow_run as r on r.run_id = i.run_id
    where i.held
      and (i.transition in ('suspend', 'release') or i.transition = 'keep' and i.result is not null)
  )
  update queue.workflow_continuation as m
  set message = case
      -- Commits that kept the lease have journaled more than the continuation shows.
      when moved.transition = 'release' and m.message ? 'journaled' then m.message || jsonb_build_object('journaled', (
        select coalesce(max(s.position), 0) from queue.workflow_step as s where s.run_id = m.msg_id
      ))
      when moved.transition = 'release' or moved.continuation is null or moved.transition = 'keep' and moved.continuation = '{}' then m.message
      -- It only rolls back: see _begin_rollback().
      when m.headers ? 'cancelled' then moved.continuation || '{"waits": []}'
      when moved.continuation @? '$.waits[*] ? (!exists(@.since))' then queue._with_beginnings(moved.continuation)
      else moved.continuation
    end,
    receipt = case when moved.transition = 'keep' then m.receipt end,
    settled_receipt = case when moved.transition = 'keep' then m.settled_receipt else m.receipt end,
    visible_at = case
      -- The worker of this suspect is alive after all, and extends the lease in a moment.
      when moved.transition = 'keep' and m.suspect_at < 'infinity' then clock_timestamp() + interval '1 second'
      when moved.transition = 'keep' then m.visible_at
      when m.headers ? 'paused' then greatest(queue._paused_until(m.headers), clock_timestamp())
      when moved.transition = 'release' and m.suspect_at is not null then
        greatest(coalesce(moved.deadline, 'infinity'), clock_timestamp())
      -- It was cancelled with rollback since it was received, and its worker has not noticed.
      when moved.transition = 'suspend' and (m.headers #>> '{cancelled,receipt}')::bigint = m.receipt then clock_timestamp()
      else greatest(moved.resume_at, clock_timestamp())
    end,
    headers = case
      when moved.transition = 'release' and moved.continuation is not null then
        queue._note_refusal(m.headers, moved.continuation, m.receipt, m.settled_receipt, moved.resume_at)
      when moved.transition = 'suspend' and (m.headers #>> '{cancelled,receipt}')::bigint = m.receipt then
        queue._due_after_pause(m.headers, clock_timestamp())
      when moved.transition <> 'keep' then queue._due_after_pause(m.headers, moved.resume_at)
      else m.headers
    end,
    version = case
      when m.workflow_queue_id is null then m.version
      -- Where workers that can't execute the run look for it only now and then.
      when moved.transition = 'release' and moved.continuation is not null then 2
      when moved.transition = 'suspend' then 1
      else m.version
    end,
    restarts = case
      when moved.transition = 'keep' and m.read_ct > 1 then coalesce(m.restarts, 0) + 1
      when moved.transition <> 'suspend' then m.restarts
    end,
    read_ct = case moved.transition when 'keep' then 1 when 'suspend' then 0 else greatest(m.read_ct - 1, 0) end,
    suspect_at = case
      when moved.transition = 'release' and m.suspect_at is not null and not (m.headers ? 'paused') is true
        then greatest(moved.resume_at, clock_timestamp())
    end,
    deaths = case when moved.transition = 'release' then m.deaths end
  from moved
  where m.msg_id = moved.run_id;

  if 'release' = any (transitions) then
    perform queue._wake_workflows(array(
      select i.run_id
      from unnest(run_ids, transitions, _move_continuations.resume_at, held) as i (run_id, transition, resume_at, held)
      where i.held
        and i.transition = 'release'
        and i.resume_at is null
    ));
  end if;
end
$function$;

comment on function queue._move_continuations(bigint[], text[], jsonb[], timestamptz[], boolean[], jsonb) is
$comment$Writes the continuations of runs that a commit changes but does not end. A run of a pool that is given back with a reason is received by version 2 of the pool until a worker has executed it. A run one of whose waits was resolved keeps its lease. A run with a deadline is visible at the deadline at the latest. A paused run is set aside. A suspect that is given back stays one, and is received after resume_at. A run that was cancelled with rollback has no waits, and is visible immediately, or when its pause ends. A wait without a beginning begins now. Where transactions are repeatable read, a run that waits for a signal or a child run is received again after a minute. Listening workers are woken for runs that are given back.
held: by position, which leases are locked.
resolved: as returned by _resolve_waits().
Touches: queue.workflow_continuation; reads queue.workflow_run; as _wake().$comment$;
