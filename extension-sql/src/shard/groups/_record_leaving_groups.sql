create or replace function queue._record_leaving_groups(route text, slots integer[], target smallint, after jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_most  constant integer := 100000;
  v_part  constant integer := 10000;
  v_parts jsonb[];
  v_count bigint;
begin
  with leaving as (
    insert into queue.leaving_group as o (queue_name, message_group_id)
    select g.queue, g.message_group_id
    from queue._home_groups(route, slots, after) as g
    limit v_most + 1
    on conflict on constraint leaving_group_pkey do update set held_id = o.held_id
    returning queue_name, message_group_id
  )
  select coalesce(array_agg(p.groups), '{}'), coalesce(sum(p.size), 0)::bigint
  into v_parts, v_count
  from (
    select jsonb_agg(jsonb_build_array(f.shard, l.queue_name, l.message_group_id)) as groups, count(*) as size
    from (select i.queue_name, i.message_group_id, row_number() over () / v_part as part from leaving as i) as l
    cross join queue.fleet as f
    group by l.part
  ) as p;
  if (v_count <= v_most) is not true then
    perform queue._raise('OX004', format('more than %s message groups would move in one transaction', v_most), null,
      case when route is null then 'Move fewer slots at a time.' else 'Receive their messages first: a group without any is left out after five minutes.' end);
  end if;
  perform queue._send_item(target, 'groups', null, jsonb_build_object('groups', p.groups))
  from unnest(v_parts) as p (groups);
end
$function$;

comment on function queue._record_leaving_groups(text, integer[], smallint, jsonb) is
$comment$Lets the message groups of a route, or of the routes of slots, leave for the shard that becomes their home, and informs it that they have not arrived: until each does, sends to it come here.
route: null for those of the slots.
slots: the moving ones.
target: number of the shard.
after: as in _home_groups(). A first call finds most of them, with null, before the slots are locked; a second one, under the locks, finds groups that are newer than what _find_group_marks() had returned before the first.
Errors: OX004 there are more than 100,000.
Touches: queue.leaving_group; as _home_groups() and _send_item().$comment$;
