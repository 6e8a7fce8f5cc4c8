create or replace function queue._route_schedules(route text, slots integer[])
returns table (name text, unended_run bigint)
language plpgsql
stable
-- plans: index
as $function$
begin
  return query
    select s.name, case when s.overlap = 'skip' then queue._unended_run(s.overlap, array[s.last_run_id, s.earlier_run_id]) end
    from queue.schedule as s
    where s.slot = any (
        case
          when _route_schedules.route is not null then array[queue._route_slot(_route_schedules.route)]
          else coalesce(_route_schedules.slots, array(select generate_series(0, 1023)))
        end
      )
      and case
        when _route_schedules.route is not null then queue._route_of(s.name) = _route_schedules.route
        when _route_schedules.slots is null then true
        -- A pin precedes the slot.
        else not exists (select from queue.fleet_pin as p where p.route = queue._route_of(s.name))
      end;
end
$function$;

comment on function queue._route_schedules(text, integer[]) is
$comment$Lists the schedules in this shard of a route, or of the routes of slots, or all, with the run of each until whose end it skips its ticks. Those of definitions are left out, since they stay.
route: null for those of the slots.
slots: null for those of the route; with both null, all.
Returns the name of each, and the run; null for most.
Touches: nothing; reads queue.schedule, queue.fleet_pin; as _unended_run().$comment$;
