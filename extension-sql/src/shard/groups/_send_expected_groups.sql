create or replace function queue._send_expected_groups(route text, slots integer[], target smallint)
returns void
language plpgsql
volatile
as $function$
declare
  v_groups jsonb;
begin
  with expected as (
    delete from queue.group_elsewhere as e
    where queue._is_of_route(queue._route_of(e.message_group_id), null, _send_expected_groups.route, _send_expected_groups.slots)
      -- A pin precedes the slot.
      and (_send_expected_groups.route is not null or not exists (
        select from queue.fleet_pin as p where p.route = queue._route_of(e.message_group_id)
      ))
    returning e.shard, e.queue_name, e.message_group_id
  ),
  -- They are not here to leave.
  absent as (
    delete from queue.leaving_group as l
    using expected as e
    where l.queue_name = e.queue_name
      and l.message_group_id = e.message_group_id
  )
  select jsonb_agg(jsonb_build_array(e.shard, e.queue_name, e.message_group_id))
  into v_groups
  from expected as e;
  if v_groups is not null then
    perform queue._send_item(target, 'groups', null, jsonb_build_object('groups', v_groups));
  end if;
end
$function$;

comment on function queue._send_expected_groups(text, integer[], smallint) is
$comment$Informs the shard that becomes the home of a route, or of the routes of slots, which message groups have not arrived here, and so will arrive there: after _record_leaving_groups(), which can't distinguish them.
route: null for those of the slots.
slots: the moving ones.
target: number of the shard.
Touches: queue.group_elsewhere, queue.leaving_group; as _send_item().$comment$;
