create or replace function queue._find_runs(filter queue.run_filter, before bigint, max_runs integer)
returns setof bigint
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_statuses  constant queue.workflow_status[] := (filter).status::queue.workflow_status[];
  -- Planned with its values, so that what is null leaves the statement, and the index fits the rest.
  v_condition constant text := $sql$
      ($1 is null or r.run_id < $1)
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
  $sql$;
  v_selects   text[] := array[]::text[];
  v_select    constant text := '(select r.run_id from %1$s where %2$s and %3$s order by %4$s desc limit $2)';
  v_runs      constant text := 'queue.workflow_run as r';
  -- One look a continuation, whatever the statistics say.
  v_in_flight constant text := $sql$
    queue.workflow_continuation as m
    cross join lateral (
      select o.run_id, o.workflow_name, o.workflow_version, o.status, o.paused_at, o.started_at, o.completed_at, o.tags,
        o.input, o.error, o.idempotency_key
      from queue.workflow_run as o
      where o.run_id = m.msg_id
      limit 1
    ) as r
  $sql$;
  v_queue_id  constant integer := queue._workflow_queue_id((filter).name);
  v_by_input  constant boolean := (filter).input is not null
    and to_regclass('queue.' || queue._input_index(v_queue_id)) is not null;
begin
  if (filter).tags is not null or v_by_input then
    -- Kept from walking through all runs in the hope that some fit: how rare they are isn't known.
    return query execute format($sql$
      with fitting as materialized (select r.run_id from queue.workflow_run as r where %1$s)
      select fitting.run_id from fitting order by fitting.run_id desc limit $2
    $sql$, v_condition)
    using before, max_runs, (filter).name, (filter).version, v_statuses, (filter).paused, (filter).started_after,
      (filter).started_before, (filter).completed_after, (filter).completed_before, (filter).tags, (filter).input,
      (filter).error_code, (filter).idempotency_key;
    return;
  end if;

  if (filter).paused then
    v_selects := v_selects || format(v_select, v_runs, v_condition, 'r.paused_at is not null', 'r.run_id');
  elsif (filter).name is not null and (filter).idempotency_key is not null then
    v_selects := v_selects
      || format(v_select, v_runs, v_condition, 'r.superseded_by is null', 'r.run_id')
      || format(v_select, v_runs, v_condition, 'r.superseded_by is not null', 'r.run_id');
  elsif (filter).name is not null then
    if not coalesce(v_statuses <@ array['running']::queue.workflow_status[], false) then
      v_selects := v_selects || format(v_select, v_runs, v_condition, 'r.completed_at is not null', 'r.run_id');
    end if;
    if coalesce('running' = any (v_statuses), true) then
      v_selects := v_selects || format(
        v_select, v_in_flight, v_condition, 'r.completed_at is null and m.queue_id = $15', 'm.msg_id'
      );
    end if;
  else
    v_selects := v_selects || format(v_select, v_runs, v_condition, 'true', 'r.run_id');
  end if;

  if v_selects = array[]::text[] then
    return;
  end if;
  return query execute format(
    'select f.run_id from (%s) as f order by f.run_id desc limit $2',
    array_to_string(v_selects, ' union all ')
  )
  using before, max_runs, (filter).name, (filter).version, v_statuses, (filter).paused, (filter).started_after,
    (filter).started_before, (filter).completed_after, (filter).completed_before, (filter).tags, (filter).input,
    (filter).error_code, (filter).idempotency_key, v_queue_id;
end
$function$;

comment on function queue._find_runs(queue.run_filter, bigint, integer) is
$comment$Finds runs by a filter, newest first, which is the order of run ids. The runs of a workflow are found by index: those in flight through its queue, those that have ended by workflow_run_ended; so are runs by tags, by input where workflow_index_input() has made an index, by key, the paused, and those that failed or were cancelled. Everything else is looked for among them.
before: only run ids below it; null is all. max_runs: null is all.
Returns run ids.
Touches: nothing; reads runs and continuations.$comment$;
