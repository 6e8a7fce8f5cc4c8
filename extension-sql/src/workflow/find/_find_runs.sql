create or replace function queue._find_runs(
  filter     queue.run_filter,
  before     queue.run_cursor,
  max_runs   integer,
  sorted     boolean default true,
  with_items boolean default false
)
returns setof bigint
language plpgsql
stable
-- plans: index
as $function$
declare
  v_of_ended  constant boolean := num_nonnulls((filter).completed_after, (filter).completed_before) > 0;
  v_of_error  constant boolean := num_nonnulls((filter).error_code, (filter).error_text) > 0;
  -- What the rest of the filter leaves.
  v_statuses  constant queue.workflow_status[] := case
    when (filter).status is null and not v_of_ended and not v_of_error and (filter).activity is null
      then null::queue.workflow_status[]
    else array(
      select s.status
      from unnest(enum_range(null::queue.workflow_status)) as s (status)
      where ((filter).status is null or s.status::text = any ((filter).status))
        and (not v_of_ended or s.status <> 'running')
        and (not v_of_error or s.status in ('failed', 'cancelled'))
        and ((filter).activity is null or s.status = 'running')
    )
  end;
  v_now       constant timestamptz := clock_timestamp();
  -- Without tests, which most databases never have, rows are not read for the mark.
  v_has_tests constant boolean := exists (select from queue.definition_test_run);
  v_queue_id  constant integer := queue._workflow_queue_id((filter).name);
  v_is_pooled constant boolean := exists (
    select from queue.queue as q where q.queue_id = v_queue_id and q.pool_id is not null
  );
  -- Only definitions have items, and all are in pools. One with runs is never deleted.
  v_has_items constant boolean := not with_items
    and (filter).parent is null
    and case
      when (filter).name is not null then v_is_pooled
      else exists (select from queue.definition)
    end;
  v_error     constant text := '%' || regexp_replace((filter).error_text, '([\\%_])', '\\\1', 'g') || '%';
  v_activity  constant text := $sql$
    queue._activity(
      m.headers, m.receipt, m.visible_at, m.suspect_at, m.message,
      (m.settled_receipt is null or m.message = '{}') and exists (
        select from queue.workflow_admission as a where a.run_id = m.msg_id and a.state <> 'admitted' and a.due_at <= $20
      ),
      exists (select from queue.workflow_run as t where t.run_id = m.msg_id and t.retried > 0),
      $20
    ) = any ($17)
  $sql$;
  v_newest    constant text := case when sorted then 'order by %1$s.started_at desc, %1$s.run_id desc' else '' end;
  -- Planned with its values, so that conditions on null vanish and an index fits the rest.
  v_condition constant text := $sql$
      ($1 is null or (r.started_at, r.run_id) < ($1, $16))
      and ($3 is null or r.workflow_name = $3)
      and ($4 is null or r.workflow_version = $4)
      and ($5 is null or r.status = any ($5))
      and ($6 is null or (r.paused_at is not null) = $6)
      and ($7 is null or r.started_at >= $7)
      and ($8 is null or r.started_at < $8)
      and ($9 is null or r.completed_at >= $9)
      and ($10 is null or r.completed_at < $10)
      and ($11 is null or r.tags @> $11)
      and ($12 is null or r.input @> $12)
      and ($13 is null or $13 in (r.error ->> 'code', r.error -> 'cause' ->> 'code'))
      and ($14 is null or r.idempotency_key = $14)
      and ($17 is null or exists (
        select from queue.workflow_continuation as m where m.msg_id = r.run_id and $sql$ || v_activity || $sql$
      ))
      and ($18 is null or r.parent_run_id = $18)
      and ($19 is null or concat_ws(E'\n', r.error ->> 'name', r.error ->> 'message', r.error -> 'cause' ->> 'name',
        r.error -> 'cause' ->> 'message') ilike $19)
  $sql$ || case
    when (filter).test then 'and r.is_test'
    when v_has_tests then 'and r.is_test is null'
    else ''
  end || case when v_has_items then ' and r.is_item is null' else '' end;
  v_selects   text[] := array[]::text[];
  v_select    constant text := format(
    '(select r.run_id, r.started_at from queue.workflow_run as r where %s and %%s %s limit $2)',
    v_condition, format(v_newest, 'r')
  );
  -- Lists of resources are found only by the name of their workflow.
  v_listed    constant text := case
    when (filter).name is null then $sql$not starts_with(q.name, '__wf_oxbow-resources-')$sql$
    else 'q.queue_id = $15'
  end;
  -- The index of ended runs begins with the workflow: a list of all workflows merges theirs.
  v_ended     constant text := format(
    $sql$(
      select f.run_id, f.started_at
      from queue.queue as q
      cross join lateral (
        select r.run_id, r.started_at
        from queue.workflow_run as r
        where r.workflow_name = substr(q.name, 6)
          and %s
          and %%s
        %s
        limit $2
      ) as f
      where q.kind = 'workflow'
        and %s
    )$sql$,
    v_condition, format(v_newest, 'r'), v_listed
  );
  -- If the rest of the filter cannot exclude a run, the newest are taken before their rows are read.
  v_is_plain  constant boolean := num_nonnulls(
      (filter).paused, (filter).completed_after, (filter).completed_before, (filter).input, (filter).error_code,
      (filter).idempotency_key
    ) = 0
    and not v_has_tests
    and not v_has_items
    and (filter).test is not true
    -- Continuations in pools do not have the version of their run.
    and ((filter).version is null or v_queue_id is not null and not v_is_pooled);
  -- One lookup per continuation, whatever the statistics are.
  v_in_flight constant text := format(
    $sql$(
      select r.run_id, r.started_at
      from queue.queue as q
      cross join lateral (
        select m.msg_id, m.enqueued_at
        from queue.workflow_continuation as m
        where m.%s = q.queue_id
          and ($1 is null or (m.enqueued_at, m.msg_id) < ($1, $16))
          and ($4 is null or q.pool_id is not null or m.version = $4)
          and ($7 is null or m.enqueued_at >= $7)
          and ($8 is null or m.enqueued_at < $8)
          and ($17 is null or %s)
        %s
        %s
      ) as m
      cross join lateral (
        select o.run_id, o.workflow_name, o.workflow_version, o.status, o.paused_at, o.started_at, o.completed_at,
          o.tags, o.input, o.error, o.idempotency_key, o.parent_run_id, o.is_test, o.is_item
        from queue.workflow_run as o
        where o.run_id = m.msg_id
        limit 1
      ) as r
      where q.kind = 'workflow'
        and %s
        and ($15 is not null or q.pool_id is null or q.pool_id = q.queue_id)
        and %s
      %s
      limit $2
    )$sql$,
    case when v_is_pooled then 'workflow_queue_id' else 'queue_id' end,
    v_activity,
    case when sorted then 'order by m.enqueued_at desc, m.msg_id desc' else '' end,
    case when v_is_plain then 'limit $2' else 'offset 0' end,
    v_listed,
    v_condition,
    format(v_newest, 'r')
  );
  -- The expression of the index of times, which finds runs by their end in whatever order.
  v_ended_since constant text := $sql$
    case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end
      >= $9 - timestamptz '2000-01-01 00:00:00+00'
  $sql$;
  v_few       constant integer := 20000;
  v_by_end    boolean := false;
  v_by_input  constant boolean := (filter).input is not null
    and to_regclass('queue.' || queue._input_index(v_queue_id)) is not null;
begin
  if isfinite((filter).completed_after) and num_nonnulls((filter).tags, (filter).parent) = 0 and not v_by_input then
    -- If only a few have ended since, they are read; if many have, the newest soon fill the page.
    execute format(
      'select count(*) < $1 from (select from queue.workflow_run as r where %s limit $1) as r',
      replace(v_ended_since, '$9', '$2')
    )
    into v_by_end
    using v_few, (filter).completed_after;
  end if;
  if (filter).tags is not null or (filter).parent is not null or v_by_input or v_by_end then
    -- Materialized, or the planner might walk through all runs and expect to find matches soon.
    return query execute format($sql$
      with fitting as materialized (select r.run_id, r.started_at from queue.workflow_run as r where %1$s)
      select fitting.run_id from fitting %2$s limit $2
    $sql$,
      v_condition
      || case when v_by_end then ' and ' || v_ended_since else '' end
      || case when (filter).name is null then $sql$ and not starts_with(r.workflow_name, 'oxbow-resources-')$sql$ else '' end,
      format(v_newest, 'fitting'))
    using before.started_at, max_runs, (filter).name, (filter).version, v_statuses, (filter).paused,
      (filter).started_after, (filter).started_before, (filter).completed_after, (filter).completed_before,
      (filter).tags, (filter).input, (filter).error_code, (filter).idempotency_key, v_queue_id, before.run_id,
      (filter).activity, (filter).parent, v_error, v_now;
    return;
  end if;

  if (filter).name is not null and v_queue_id is null then
    return;
  elsif (filter).paused then
    v_selects := v_selects || format(v_select, 'r.paused_at is not null');
  elsif (filter).name is not null and (filter).idempotency_key is not null then
    v_selects := v_selects
      || format(v_select, 'r.superseded_by is null')
      || format(v_select, 'r.superseded_by is not null');
  else
    if v_statuses <@ array['failed', 'cancelled']::queue.workflow_status[] then
      v_selects := v_selects || format(v_ended, $sql$r.status in ('failed', 'cancelled')$sql$);
    elsif not coalesce(v_statuses <@ array['running']::queue.workflow_status[], false) then
      v_selects := v_selects || format(v_ended, 'r.completed_at is not null');
    end if;
    if coalesce('running' = any (v_statuses), true) then
      v_selects := v_selects || v_in_flight;
    end if;
  end if;

  return query execute format(
    'select f.run_id from (%s) as f %s limit $2',
    array_to_string(v_selects, ' union all '),
    format(v_newest, 'f')
  )
  using before.started_at, max_runs, (filter).name, (filter).version, v_statuses, (filter).paused,
    (filter).started_after, (filter).started_before, (filter).completed_after, (filter).completed_before,
    (filter).tags, (filter).input, (filter).error_code, (filter).idempotency_key, v_queue_id, before.run_id,
    (filter).activity, (filter).parent, v_error, v_now;
end
$function$;

comment on function queue._find_runs(queue.run_filter, queue.run_cursor, integer, boolean, boolean) is
$comment$Finds runs by a filter, newest first: in descending order of started_at, then run_id.
Ended runs are found by the index workflow_run_ended, workflow by workflow, and failed or cancelled ones by workflow_run_unsuccessful. Runs in flight have no index in that order, because each start would pay for it: those of a workflow are found through its queue and sorted. Indexes also find runs by tags, by parent, by a recent end, by input after workflow_index_input(), by key, and paused ones. An error implies failed or cancelled, an activity running, an end any other status. The rest of the filter is checked on the rows found.
before: only runs after this place in the list; null finds all.
max_runs: null finds all.
sorted: false returns any order, at less cost.
with_items: also items of loops, and reruns of these. Otherwise they are found only by a filter for their parent, for which the rows of runs in pools are read.
Test runs are found only by a filter for them, and lists of resources only by the name of their workflow.
Returns run ids.
Touches: nothing; reads queue.queue, queue.definition, queue.definition_test_run, queue.workflow_run, queue.workflow_continuation and queue.workflow_admission.$comment$;
