create or replace function queue.next_visible_at(queue text, within_seconds numeric default null, suspects integer default null)
returns timestamptz
language plpgsql
volatile
security definer
-- plans: index, no bitmap, no sort
as $function$
declare
  v_queue    constant queue.queue_settings := queue._find_queue(next_visible_at.queue, null, 'read');
  v_table    constant regclass := queue._queue_table(v_queue.name);
  v_eligible constant text := case v_queue.kind when 'fifo' then 'm.head' else 'true' end;
  v_mark     queue.queue_mark;
  v_until    timestamptz := timestamptz 'infinity';
  v_next     timestamptz;
begin
  -- A copy sends nothing to urls and fires no schedule.
  if next_visible_at.queue in ('__http', '__schedules') and queue._must_hold(true) then
    return null;
  end if;
  select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
  into v_mark
  from queue.ready_mark as r
  where r.queue_name = v_queue.name
    and r.part = 0
  order by r.mark_id desc
  limit 1;

  -- A receive corrects the times that were written while the clock was ahead.
  if (
      queue._is_clock_set_back(queue._clock_shown(), clock_timestamp())
      or exists (select from queue.clock_correction as c where c.again_at <= clock_timestamp())
    )
    and current_setting('transaction_isolation') = 'read committed'
  then
    return clock_timestamp();
  end if;

  if v_queue.suspected_at is not null
    and coalesce(next_visible_at.suspects, 1) > 0
    and exists (select from queue.suspect as s where s.queue_name = v_queue.name)
  then
    execute format(
      $sql$select m.visible_at from %1$s as m where %2$s and m.visible_at = 'infinity' order by m.visible_at limit 1$sql$,
      v_table, v_eligible
    )
    into v_next;
    if v_next is not null then
      return clock_timestamp();
    end if;
  end if;
  if next_visible_at.within_seconds is not null then
    v_until := clock_timestamp() + queue._duration(next_visible_at.within_seconds, 'time to look ahead');
  end if;
  execute format($sql$
    select m.visible_at
    from %1$s as m
    where %2$s
      and m.visible_at between $1 and $2
      and m.visible_at < 'infinity'
    order by m.visible_at
    limit 1
  $sql$, v_table, v_eligible)
  into v_next
  using case when v_mark.taken_at <= clock_timestamp() then v_mark.ready_from else '-infinity' end, v_until;
  return v_next;
end
$function$;

comment on function queue.next_visible_at(text, numeric, integer) is
$comment$Returns when the next message of a queue becomes receivable, so that an idle consumer neither polls often nor wakes late: it listens on queue_<name>, and receives at this time at the latest. A message in flight counts with the end of its lease.
within_seconds: how far to look ahead; null means to the end. While an old snapshot is held, entries of deleted messages are read in vain, as far as the function looks.
suspects: as the consumer passes to receive(); 0 leaves out suspects that are ready.
Returns a time, which may have passed; null if no message becomes receivable within that time, or if the queue is internal and the database is held.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the first entry of the ready index from its mark on, queue.suspect and queue.clock_correction.$comment$;
