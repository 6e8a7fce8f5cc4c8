create or replace function queue._hand_over_due_schedule(receipt bigint)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_msg_id constant bigint := queue._receipt_msg_id(receipt);
  v_due  record;
  v_left record;
begin
  if not queue._in_fleet() then
    return false;
  end if;
  select s.name, s.slot::integer as slot into v_due
  from queue.schedule as s
  where s.msg_id = v_msg_id
    and s.slot is not null;
  if not found then
    return false;
  end if;
  perform queue._lock_homes(array[queue._route_of(v_due.name)]);
  if queue._other_home(queue._route_of(v_due.name)) is null then
    return false;
  end if;
  perform queue._hand_over_schedules(array[v_due.slot]);
  select s.overlap, array[s.last_run_id, s.earlier_run_id] as last_runs into v_left
  from queue.schedule as s
  where s.msg_id = v_msg_id
  for no key update;
  if found then
    if queue._unended_run(v_left.overlap, v_left.last_runs) is not null then
      -- It skips the tick, which starts nothing here.
      return false;
    end if;
    -- It has arrived before its home has.
    perform queue._plan_tick(v_due.name, clock_timestamp() + interval '1 second');
  end if;
  return true;
end
$function$;

comment on function queue._hand_over_due_schedule(bigint) is
$comment$Keeps a schedule that is due at home in this shard until the transaction ends. One that is at home in another shard leaves, and ticks there. One whose home is about to be this shard, as the shard that has handed it over has decided, ticks soon.
receipt: of the message that is its tick.
Returns whether it does not tick now.
Touches: as _lock_homes() and _hand_over_schedules(); queue.schedule, the table of queue __schedules. Nothing in a standalone database.$comment$;
