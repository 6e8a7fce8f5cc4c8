create or replace function queue.next_visible_at(queue text, within_seconds numeric default null)
returns timestamptz
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index, no bitmap, no sort
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(next_visible_at.queue, null, 'read');
  v_mark  queue.queue_mark;
  v_next  timestamptz;
begin
  -- What acts on the outside, or by the clock, stands still in a copy.
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
  if queue._is_clock_set_back(v_mark.taken_at, clock_timestamp())
    and current_setting('transaction_isolation') = 'read committed'
  then
    return clock_timestamp();
  end if;

  execute format($sql$
    select m.visible_at
    from %1$s as m
    where %2$s
      and m.visible_at between $1 and $2
    order by m.visible_at
    limit 1
  $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'm.head' else 'true' end)
  into v_next
  using case when v_mark.taken_at <= clock_timestamp() then v_mark.ready_from else '-infinity' end,
    case
      when next_visible_at.within_seconds is null then 'infinity'
      else clock_timestamp() + queue._duration(next_visible_at.within_seconds, 'time to look ahead')
    end;
  return v_next;
end
$function$;

comment on function queue.next_visible_at(text, numeric) is
$comment$When the next message of a queue becomes receivable, so that an idle consumer neither polls busily nor wakes late: it listens on queue_<name>, and receives at this time at the latest. A message in flight counts with the end of its lease.
within_seconds: how far to look ahead; null means to the end. While an old snapshot is held, what was leased and is deleted by now is read in vain, as far as one looks.
Returns a time that may have passed; null when nothing is there within that time, or the queue is one of Oxbow's own and the database is held.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the first entry of the ready index from its mark on.$comment$;
