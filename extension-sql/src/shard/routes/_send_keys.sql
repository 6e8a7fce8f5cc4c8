create or replace function queue._send_keys(route text, slots integer[], target smallint, after bigint, up_to bigint)
returns void
language plpgsql
volatile
-- plans: no jit
as $function$
declare
  v_most constant integer := 10000;
begin
  perform queue._send_item(target, 'keys', null, jsonb_build_object('shard', k.shard, 'keys', k.keys))
  from (
    select i.shard, jsonb_agg(jsonb_build_array(i.workflow_name, i.idempotency_key, i.run_id::text)) as keys
    from (
      select h.*, (row_number() over (partition by h.shard) - 1) / v_most as part
      from (
        select f.shard, r.workflow_name, r.idempotency_key, r.run_id
        from queue.workflow_run as r
        cross join queue.fleet as f
        where r.run_id > after
          and (up_to is null or r.run_id <= up_to)
          and r.idempotency_key is not null
          and r.superseded_by is null
          -- A comparison spares most runs the call, which takes ten times as long.
          and (_send_keys.route is null or coalesce(r.route, _send_keys.route) = _send_keys.route)
          and queue._is_of_route(r.route, r.idempotency_key, _send_keys.route, _send_keys.slots)
        union all
        -- A key leads to a shard that has had the run, or a start that follows it could create another one there. So while
        -- a run is on its way, its key leads here, from where it is followed behind the run.
        select
          case
            when exists (
              select
              from queue.elsewhere as w
              join queue.outbox as o on o.item_id = w.item_id
              where w.run_id = e.run_id
                and o.delivered_at is null
            ) then f.shard
            else e.shard
          end,
          e.workflow_name, e.idempotency_key, e.run_id
        from queue.key_elsewhere as e
        cross join queue.fleet as f
        where up_to is null
          and e.shard <> _send_keys.target
          and (_send_keys.route is null or starts_with(e.idempotency_key, _send_keys.route))
          and queue._is_of_route(null, e.idempotency_key, _send_keys.route, _send_keys.slots)
      ) as h
    ) as i
    group by i.shard, i.part
    order by i.shard, i.part
  ) as k;
end
$function$;

comment on function queue._send_keys(text, integer[], smallint, bigint, bigint) is
$comment$Sends the idempotency keys of a route, or of the routes of slots, to the shard that becomes their home: a start there is led to the run that has the key.
route: null for those of the slots.
target: number of the shard.
after, up_to: ids of the runs here whose keys are sent. Without up_to, the keys that have left this shard with their runs are sent as well.
Touches: as _send_item(); reads queue.workflow_run, queue.key_elsewhere, queue.elsewhere, queue.outbox, queue.fleet.$comment$;
