create or replace function queue._admit_candidates(
  queue_id integer,
  versions integer[],
  limits   queue.flow_limits,
  want     integer,
  moment   timestamptz
)
returns integer
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, no sort, generic
as $function$
declare
  v_counts    constant boolean := (limits).concurrency is not null or (limits).key_concurrency is not null;
  v_is_keyed  constant boolean := (limits).key_concurrency is not null or (limits).key_spacing is not null;
  v_room      integer;
  v_filled_at timestamptz;
  v_run_ids   bigint[];
begin
  select least(
      want,
      coalesce((limits).concurrency - coalesce(g.taken, 0), want),
      queue._rate_room(g.filled_at, (limits).spacing, (limits).burst, moment)
    ),
    g.filled_at
  into v_room, v_filled_at
  from (select) as one
  left join queue.workflow_gate as g on g.queue_id = _admit_candidates.queue_id and g.key = '';
  if v_room <= 0 then
    return 0;
  end if;

  -- Transactions that end or pause a run lock its continuation first, so this doesn't wait for them, and such a run takes
  -- no other run's place.
  with chosen as materialized (
    select a.run_id
    from unnest(versions) as v (version)
    cross join lateral (
      select c.run_id, c.priority, c.due_at
      from queue.workflow_admission as c
      join queue.workflow_continuation as m on m.msg_id = c.run_id
      where c.queue_id = _admit_candidates.queue_id
        and c.version = v.version
        and c.state = 'candidate'
        and not c.is_over
      order by c.priority desc, c.due_at, c.run_id
      limit v_room
      for no key update of c, m skip locked
    ) as a
    order by a.priority desc, a.due_at, a.run_id
    limit v_room
  ),
  shown as (
    update queue.workflow_continuation as m
    -- A run that rolls back didn't wait for its turn: a worker may have it, or its next attempt has a time.
    set visible_at = case when m.headers ?| '{paused,cancelled}' then m.visible_at else moment end,
      headers = case when m.headers ? 'cancelled' then m.headers else queue._due_after_pause(m.headers, moment) end
    from chosen as c
    where m.msg_id = c.run_id
    returning m.msg_id
  )
  select array_agg(s.msg_id) into v_run_ids from shown as s;
  if v_run_ids is null then
    return 0;
  end if;

  if v_is_keyed then
    update queue.workflow_gate as g
    set candidates = g.candidates - k.runs,
      taken = g.taken - case when v_counts then 0 else k.runs end,
      filled_at = coalesce(k.filled_at, g.filled_at),
      -- An earlier time remains: a run of the key that was locked may wait for it (_refresh_gates).
      opens_at = least(g.opens_at, queue._gate_opens_at(g.key, k.filled_at, limits, moment, k.is_awaited))
    from (
      select o.place, a.runs, greatest(o.filled_at, moment) + (limits).key_spacing * a.runs as filled_at,
        (limits).key_spacing is not null and exists (
          select from queue.workflow_admission as w
          where w.queue_id = _admit_candidates.queue_id
            and w.key = a.key
            and w.state = 'waiting'
            and not w.is_over
        ) as is_awaited
      from (
        select c.key, count(*) as runs
        from queue.workflow_admission as c
        where c.run_id = any (v_run_ids)
          and c.key <> ''
        group by c.key
      ) as a
      -- One index lookup per key, whatever the statistics are.
      cross join lateral (
        select n.ctid as place, n.filled_at
        from queue.workflow_gate as n
        where n.queue_id = _admit_candidates.queue_id
          and n.key = a.key
        limit 1
      ) as o
    ) as k
    where g.ctid = k.place;
  end if;
  if v_counts then
    update queue.workflow_admission as a set state = 'admitted' where a.run_id = any (v_run_ids);
  else
    delete from queue.workflow_admission as a where a.run_id = any (v_run_ids);
  end if;
  if v_counts or (limits).spacing is not null then
    insert into queue.workflow_gate as g (opens_at, filled_at, queue_id, taken, key)
    select queue._gate_opens_at('', n.filled_at, limits, moment, true), coalesce(n.filled_at, '-infinity'),
      _admit_candidates.queue_id, case when v_counts then cardinality(v_run_ids) else 0 end, ''
    from (
      select greatest(v_filled_at, moment) + (limits).spacing * cardinality(v_run_ids) as filled_at
    ) as n
    on conflict on constraint workflow_gate_pkey do update
    set taken = g.taken + excluded.taken,
      filled_at = excluded.filled_at,
      opens_at = excluded.opens_at;
  end if;
  return cardinality(v_run_ids);
end
$function$;

comment on function queue._admit_candidates(integer, integer[], queue.flow_limits, integer, timestamptz) is
$comment$Admits candidates, highest priority first, as many as the limits of the workflow and the caller allow. Runs that roll back are visible already, and only counted. The caller holds the lock of the admission.
want: how many at most.
moment: the current time.
Returns how many were admitted.
Touches: queue.workflow_admission, queue.workflow_gate, queue.workflow_continuation (SKIP LOCKED).$comment$;
