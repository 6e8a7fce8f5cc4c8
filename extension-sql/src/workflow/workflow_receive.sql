create or replace function queue.workflow_receive(
  names         text[],
  versions      jsonb default null,
  max_runs      integer default 1,
  lease_seconds numeric default 30,
  suspects      integer default null,
  max_bytes     bigint default null
)
returns setof queue.workflow_delivery
language plpgsql
volatile
security definer
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  v_is_first     constant boolean := pg_current_xact_id_if_assigned() is null;
  v_now          constant timestamptz := clock_timestamp();
  v_lease        constant interval := queue._lease_interval(lease_seconds);
  -- Clients read an answer as one text, and a string in JavaScript ends at 512 MiB, including escapes.
  v_room         constant bigint := least(greatest(coalesce(max_bytes, 67108864), 0), bigint '67108864');
  v_claimed      queue.claimed_runs;
  v_is_at_home   boolean;
  v_has_inbox    boolean;
  v_has_suspects boolean;
  v_must_correct boolean;
begin
  if (max_runs between 1 and 10000) is not true then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Receive between 1 and 10000 runs at a time.');
  end if;
  if queue._is_behind() then
    perform queue._migrate_if_older();
    if to_regclass('queue.workflow_run') is null then
      return;
    end if;
  end if;

  select
    exists (select from queue._own_incarnation() as i where i.is_at_home),
    exists (select from queue.workflow_inbox),
    coalesce(suspects, 1) > 0 and exists (select from queue.workflow_continuation as m where m.suspect_at <= v_now),
    queue._is_clock_set_back(queue._clock_shown(), v_now)
      or exists (select from queue.clock_correction as c where c.again_at <= v_now)
  into v_is_at_home, v_has_inbox, v_has_suspects, v_must_correct;
  if not v_is_at_home and queue._must_hold(false) then
    return;
  end if;
  if v_must_correct and v_is_first then
    perform queue._correct_clock_setback();
  end if;
  if v_has_inbox then
    perform queue._deliver_inbox();
  end if;
  v_claimed := queue._claim_runs(names, versions, max_runs, v_now, v_lease, v_is_first, suspects, v_has_suspects);
  if v_claimed.limited is not null then
    v_claimed := queue._claim_admitted(v_claimed, names, versions, max_runs, v_lease);
  end if;
  if v_claimed.must_end is not null then
    perform queue._end_undeliverable_runs(v_claimed.must_end, v_now);
  end if;
  if v_claimed.run_ids is null then
    return;
  end if;
  if queue._must_record_clock(v_now) then
    perform queue._record_clock(v_now);
  end if;
  -- If no run takes more than its share, all of them fit.
  if false = any (v_claimed.is_fresh) or v_room / cardinality(v_claimed.sizes) < any (v_claimed.sizes) then
    v_claimed := queue._fit_claims(v_claimed, v_room, max_bytes is not null);
  end if;

  return query
    select c.run_id, c.receipt, r.workflow_name, r.workflow_version, c.attempt, r.input, j.journal,
      case when r.is_item then c.continuation || '{"item": true}' else c.continuation end,
      r.started_at, v_now,
      case
        when r.scheduled_at is not null then jsonb_build_object('name', r.tags ->> 'schedule', 'scheduled_at', r.scheduled_at)
      end,
      r.trace, r.failure_of, coalesce(r.retried, 0), r.deadline, c.bytes, coalesce(r.generation, 1)
    from unnest(
      v_claimed.run_ids, v_claimed.receipts, v_claimed.attempts, v_claimed.continuations, v_claimed.is_fresh,
      v_claimed.sizes
    ) as c (run_id, receipt, attempt, continuation, is_fresh, bytes)
    join queue.workflow_run as r on r.run_id = c.run_id
    left join lateral (
      select jsonb_agg(
          queue._journal_json(s.step_name, s.kind, s.attempts, s.output, s.error, s.decisions) order by s.position
        ) as journal
      from queue.workflow_step as s
      where s.run_id = c.run_id
        and not c.is_fresh
        -- The worker reads a larger journal in pages.
        and (max_bytes is null or c.bytes <= 67108864)
    ) as j on true
    where v_claimed.must_end is null
      or not c.run_id = any (v_claimed.must_end);
end
$function$;

comment on function queue.workflow_receive(text[], jsonb, integer, numeric, integer, bigint) is
$comment$Leases ready runs to a worker, each with its whole journal, so that resuming a run takes one round trip.
A run is a suspect while its last two or more leases have expired without a commit; its attempt is then above 2. A suspect fails with PoisonedRun instead of being returned, after 10 deliveries whose workers died, the last 8 of them while executing no other suspect; a run that made progress each time fails with it after 100 such deliveries in a row, which end when a worker gives the run back. A run past its deadline fails with DeadlineExceeded.
names: workflows to receive, in order of preference; a name that was never started is skipped. "@<pool>" is for all workflows of a pool.
versions: maps a name to the versions that the worker serves, {"onboard-user": [1, 2]}; a missing name, or null, takes any version. A pool has version 1, and version 2 for runs that a worker has given back because it can't execute them: ask for that one only now and then after giving such a run back.
max_runs: 1 to 10000.
lease_seconds: how long no other worker receives the runs; extend the lease with workflow_heartbeat().
suspects: 1 returns at most one suspect, for a worker that doesn't execute one. 0 returns no suspect, for a worker that executes a suspect which has not committed yet, or that has just started. Null is for workers that don't keep track: it returns at most one suspect, and counts each death for at most one. With 0 or 1, a suspect rests for a quarter of a lease before it is returned, and 1.4 times as long after each further lease that expires.
max_bytes: bound for inputs and journals together, about, and at most 64 MiB. One run is always returned; if it has more than 64 MiB, it comes without its journal, which workflow_journal_page() returns. Null means 64 MiB, with large journals returned whole, and runs of more than 224 MiB not at all.
Returns one row per run, whose continuation has "item": true if it is an item of a loop; no rows if nothing is ready, or while the database is held as a copy: see release_incarnation().
Errors: OX004 invalid argument.
Touches: queue.workflow_continuation (SKIP LOCKED); reads queue.workflow_run and queue.workflow_step.$comment$;
