create or replace function queue._claim_runs(
  name      text,
  versions  integer[],
  max_runs  integer,
  claim_at  timestamptz,
  lease     interval,
  is_first  boolean
)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_max_attempts constant integer := 10;
  v_table        constant regclass := queue._workflow_table(name);
  v_versions     integer[] := versions;
  v_marks        queue.queue_mark[];
  v_froms        timestamptz[];
  v_claimed      queue.claimed_runs;
begin
  if v_versions is null then
    -- A jump from version to version through the index: as many steps as there are versions.
    execute format($sql$
      with recursive present (version) as (
        (select m.version from %1$s as m order by m.version limit 1)
        union all
        select (select m.version from %1$s as m where m.version > p.version order by m.version limit 1)
        from present as p
        where p.version is not null
      )
      select array_agg(p.version) from present as p where p.version is not null
    $sql$, v_table) into v_versions;
  end if;

  select array_agg(
      row(m.mark_id, m.taken_at, m.ready_from, m.swept_at, m.sweep_took, m.horizon)::queue.queue_mark
      order by v.position
    ),
    array_agg(case when m.taken_at <= claim_at then m.ready_from else '-infinity' end order by v.position)
  into v_marks, v_froms
  from unnest(v_versions) with ordinality as v (version, position)
  left join lateral (
    select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
    from queue.ready_mark as r
    where r.queue_name = '__wf_' || _claim_runs.name
      and r.part = v.version
    order by r.mark_id desc
    limit 1
  ) as m on true;

  -- One index range a version, so that a backlog of a version that nobody serves is never walked through.
  execute format($sql$
    with due as materialized (
      select m.msg_id, m.receipt is null and m.settled_receipt is null as is_fresh,
        (m.headers ? 'paused' and queue._paused_until(m.headers) > $2) is true as is_paused
      from unnest($1, $6) as v (version, ready_from)
      cross join lateral (
        select t.msg_id, t.receipt, t.settled_receipt, t.headers
        from %1$s as t
        where t.version = v.version
          and t.visible_at between v.ready_from and $2
        order by t.visible_at
        limit $3
        for no key update skip locked
      ) as m
      limit $3
    ),
    claimed as (
      update %1$s as m
      set receipt = case when due.is_paused then m.receipt else queue._new_receipt(m.msg_id, m.receipt) end,
        visible_at = case
          when due.is_paused then greatest(queue._paused_until(m.headers), clock_timestamp())
          else (select clock_timestamp()) + $4
        end,
        headers = case when due.is_paused then queue._due_after_pause(m.headers, $2) else m.headers end,
        read_ct = m.read_ct + case when due.is_paused then 0 else 1 end
      from due
      where m.msg_id = due.msg_id
      returning m.msg_id, m.receipt, m.read_ct,
        case
          when m.headers ? 'cancelled' then m.message || jsonb_build_object('cancelled', m.headers -> 'cancelled')
          else m.message
        end as message,
        due.is_fresh, due.is_paused
    )
    select array_agg(c.msg_id), array_agg(c.receipt), array_agg(c.read_ct), array_agg(c.message),
      array_agg(c.is_fresh),
      array_agg(c.msg_id) filter (where c.read_ct > $5 or r.deadline <= $2)
    from claimed as c
    join queue.workflow_run as r on r.run_id = c.msg_id
    where not c.is_paused
  $sql$, v_table)
  into v_claimed
  using v_versions, claim_at, max_runs, lease, v_max_attempts, v_froms;

  for v_version in 1 .. cardinality(v_versions) loop
    if is_first and queue._is_mark_due(v_marks[v_version], claim_at, coalesce(cardinality(v_claimed.run_ids), 0)) then
      perform queue._advance_ready_mark(
        v_marks[v_version], '__wf_' || _claim_runs.name, v_versions[v_version], v_table,
        format('m.version = %s', v_versions[v_version]), claim_at
      );
    end if;
  end loop;
  return v_claimed;
end
$function$;

comment on function queue._claim_runs(text, integer[], integer, timestamptz, interval, boolean) is
$comment$Leases ready continuations of one workflow. One that was paused while its worker crashed is put aside instead.
versions: those to take; null takes any. claim_at: the time to take as now. lease: how long nobody else gets them. is_first: claim_at was read before this transaction had an id.
Returns parallel arrays, null when nothing is ready.
Touches: continuations (locked with SKIP LOCKED), from the mark of their version on, which moves now and then.$comment$;
