create or replace function queue.workflow_next_visible_at(
  names          text[],
  versions       jsonb default null,
  within_seconds numeric default null
)
returns timestamptz
language plpgsql
stable
security definer
-- plans: index, no bitmap, generic
as $function$
declare
  v_parts    queue.ready_parts;
  v_opens_at timestamptz;
  v_until    constant timestamptz := case
    when within_seconds is null then 'infinity'
    else clock_timestamp() + queue._duration(within_seconds, 'time to look ahead')
  end;
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  if queue._judge_incarnation(false) in ('moved', 'promoted', 'held') then
    return null;
  end if;
  if exists (select from queue.workflow_inbox)
    or queue._is_clock_set_back(queue._clock_shown(), clock_timestamp())
    or exists (select from queue.clock_correction as c where c.again_at <= clock_timestamp())
  then
    return clock_timestamp();
  end if;
  v_parts := queue._ready_parts(names, versions, clock_timestamp());
  if v_parts.limited is not null then
    v_opens_at := (
      select min(queue._admission_opens_at(l.queue_id, l.versions))
      from queue._limited_queues(names, versions, v_parts.limited) as l
    );
    -- Callers subtract times, which fails for infinity before PostgreSQL 17.
    if v_opens_at = '-infinity' then
      v_opens_at := clock_timestamp();
    end if;
  end if;
  return least(v_opens_at, (
    select min(first.visible_at)
    from unnest(v_parts.queue_ids, v_parts.versions, v_parts.froms) as p (queue_id, version, ready_from)
    cross join lateral (
      select m.visible_at
      from queue.workflow_continuation as m
      where m.queue_id = p.queue_id
        and m.version = p.version
        and m.visible_at between p.ready_from and v_until
      order by m.visible_at
      limit 1
    ) as first
  ));
end
$function$;

comment on function queue.workflow_next_visible_at(text[], jsonb, numeric) is
$comment$Returns when the next run of these workflows becomes visible, so that an idle worker neither polls busily nor wakes late. A leased run counts with the end of its lease.
names, versions: as in workflow_receive().
within_seconds: how far to look ahead; null looks at everything.
Returns a time, which may have passed; null if no run becomes visible within that time, or the database is held. Without within_seconds, it is infinity if all runs wait for signals only.
Errors: OX004 invalid argument.
Touches: nothing; reads the first ready entry of queue.workflow_continuation per version.$comment$;
