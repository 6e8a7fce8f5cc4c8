create or replace function queue._hand_over_home(
  route          text,
  slots          integer[],
  target         smallint,
  after          bigint,
  informs_target boolean
)
returns bigint
language plpgsql
volatile
as $function$
declare
  v_most    constant integer := 10000;
  v_few     constant integer := 1000;
  v_slots   integer[] := queue._find_homes_to_give(route, slots, target);
  v_scanned bigint;
  v_last    bigint;
  v_epoch   bigint;
  v_leaves  boolean;
  v_marks   jsonb;
begin
  if v_slots = '{}' then
    -- A shard that was restored since may not know it any more. The target must not hear of it in front of the keys, which
    -- come from the shard that has given it the routes.
    perform queue._send_homes(route, slots, target, informs_target);
    return null;
  end if;
  -- Its snapshot would be older than the locks under which keys are read.
  if current_setting('transaction_isolation') is distinct from 'read committed' then
    perform queue._raise('OX004', format('routes can''t move in a %s transaction', current_setting('transaction_isolation')),
      null, 'Use isolation level read committed.');
  end if;
  v_leaves := not exists (select from queue.fleet as f where f.shard = target);
  if v_leaves then
    perform queue._require_movable_schedules(route, v_slots);
    -- Before the transactions are awaited that send to groups at the moment.
    v_marks := queue._find_group_marks();
  end if;
  -- Once the transactions that have started runs with such a route have ended, the next statement sees all runs that have an
  -- id so far. The end of the subtransaction releases the locks.
  begin
    perform queue._lock_slots(v_slots);
    raise sqlstate 'OX000';
  exception
    when sqlstate 'OX000' then
      null;
  end;
  select count(*), max(r.run_id) into v_scanned, v_last
  from (
    select i.run_id
    from queue.workflow_run as i
    where i.run_id > after
    order by i.run_id
    limit v_most
  ) as r;
  if v_leaves and (v_scanned > v_few or after > 0) and queue._record_leaving(route, v_slots, target) then
    -- Runs may have arrived since the calls before.
    return 0::bigint;
  end if;
  if v_leaves and v_scanned > v_few then
    perform queue._send_keys(route, v_slots, target, after, v_last);
    return v_last;
  end if;

  -- Few are left: starts wait for them.
  perform queue._lock_map();
  -- Another move may have been faster.
  v_slots := queue._find_homes_to_give(route, v_slots, target);
  if v_slots = '{}' then
    return null;
  end if;
  if v_leaves then
    -- Nearly all of them, while nothing waits.
    perform queue._record_leaving_groups(route, v_slots, target, null);
  end if;
  perform queue._lock_slots(v_slots);
  if v_leaves then
    -- One may have started a run since.
    perform queue._require_movable_schedules(route, v_slots);
    perform queue._send_keys(route, v_slots, target, after, null);
    -- Before the item by which the target learns that they are at home there.
    perform queue._record_leaving_groups(route, v_slots, target, v_marks);
    perform queue._send_expected_groups(route, v_slots, target);
  end if;
  update queue.fleet as f
  set epoch = f.epoch + 1
  returning f.epoch into v_epoch;
  delete from queue.leaving_home as h
  where h.slot = any (v_slots)
    and (_hand_over_home.route is null or h.route = _hand_over_home.route);
  perform queue._set_home(route, v_slots, target, v_epoch);
  -- Before the item by which the target learns that they are at home there.
  perform queue._hand_over_schedules(v_slots);
  perform queue._send_homes(route, v_slots, target, true);
  perform queue._record_action(
    case when route is null then 'shard.move_slots' else 'shard.pin_route' end,
    'database', array[current_database()],
    case when route is null then jsonb_build_object('slots', cardinality(v_slots)) else jsonb_build_object('route', route) end
      || jsonb_build_object('shard', (select s.name from queue.fleet_shard as s where s.shard = target))
  );
  return null;
end
$function$;

comment on function queue._hand_over_home(text, integer[], smallint, bigint, boolean) is
$comment$Makes a shard the home of a route, or of the routes of slots, if they are at home here: keys go first, thousands at a call, then this shard's copy of the map changes, schedules leave and message groups are about to, and the others learn it by the outbox.
route: null for those of the slots.
slots: the moving ones; null for a route.
target: number of the shard; that of this one pins a route that is here.
after: the last run whose key was sent.
informs_target: informs the target again if it is the home already; otherwise only the others are.
Returns the same of this call; null if nothing is left to do.
Errors: OX004 the transaction is not READ COMMITTED, or a schedule can't leave, or more than 100,000 message groups would; OX028 the route is at home in a third shard; 55P03 a transaction that has started a run with such a route, or another change of the map, stays open for longer than 50 ms: repeat the call.
Touches: advisory locks of slots; queue.fleet, queue.leaving_home, queue.audit, as _record_leaving(), _set_home(), _send_keys(), _hand_over_schedules(), _record_leaving_groups(), _send_expected_groups() and _send_homes().$comment$;
