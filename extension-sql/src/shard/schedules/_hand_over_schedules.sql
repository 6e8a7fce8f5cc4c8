create or replace function queue._hand_over_schedules(slots integer[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_leaving record;
begin
  for v_leaving in
    select h.shard, h.epoch, array_agg(s.name) as names
    from queue.schedule as s
    join queue._homes_of(array(
      select queue._route_of(i.name)
      from queue.schedule as i
      where i.slot = any (_hand_over_schedules.slots)
    )) as h on h.route = queue._route_of(s.name)
    join queue.fleet as f on f.shard <> h.shard
    where s.slot = any (_hand_over_schedules.slots)
      -- One that arrives before its home is judged by that, not by the home before.
      and h.epoch > coalesce(s.home_epoch, 0)
      and (s.overlap <> 'skip' or queue._unended_run(s.overlap, array[s.last_run_id, s.earlier_run_id]) is null)
    group by h.shard, h.epoch
  loop
    perform queue._send_schedules(v_leaving.names, v_leaving.shard, v_leaving.epoch);
  end loop;
end
$function$;

comment on function queue._hand_over_schedules(integer[]) is
$comment$Moves the schedules of slots that are at home in another shard, by this shard's copy of the map, to that. One that skips ticks until a run here ends stays until then.
slots: of their routes.
Touches: as _send_schedules(); reads queue.schedule; as _homes_of() and _unended_run().$comment$;
