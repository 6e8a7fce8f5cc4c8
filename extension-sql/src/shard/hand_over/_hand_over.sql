create or replace function queue._hand_over(run_id bigint, target smallint, ends_leases boolean)
returns text
language plpgsql
volatile
as $function$
declare
  v_family bigint[];
  v_leased bigint[];
  v_item   bigint;
begin
  v_family := queue._lock_family(run_id);
  perform queue._require_movable(v_family);
  v_leased := array(
    select m.msg_id
    from queue.workflow_continuation as m
    where m.msg_id = any (v_family)
      and m.receipt is not null
      and m.visible_at > clock_timestamp()
      -- Neither a paused run that was set aside nor a suspect.
      and m.visible_at <> coalesce(queue._paused_until(m.headers), 'infinity')
    order by m.msg_id
  );
  if v_leased <> '{}' and not ends_leases then
    return case when queue._ask_back(v_leased, target) then 'asked' else 'waiting' end;
  end if;
  update queue.workflow_continuation as m
  set visible_at = clock_timestamp()
  where m.msg_id = any (v_leased);
  perform queue._notify_worker(r.workflow_name, r.run_id)
  from queue.workflow_run as r
  where r.run_id = any (v_leased);
  perform queue._stop_departing(v_family);

  v_item := queue._send_item(target, 'run', null, jsonb_build_object(
    'run', run_id::text, 'state', '@latest_state@', 'rows', queue._pack_runs(v_family)
  ));
  insert into queue.key_elsewhere (run_id, shard, workflow_name, idempotency_key)
  select r.run_id, target, r.workflow_name, r.idempotency_key
  from queue.workflow_run as r
  where r.run_id = any (v_family)
    and r.idempotency_key is not null
    and r.superseded_by is null
  on conflict on constraint key_elsewhere_pkey do update set run_id = excluded.run_id, shard = excluded.shard;
  insert into queue.elsewhere (run_id, item_id, shard)
  select f.run_id, v_item, target
  from unnest(v_family) as f (run_id);
  delete from queue.workflow_continuation as m where m.msg_id = any (v_family);
  perform queue._delete_runs(v_family);
  -- They look again, and are led there.
  perform queue._wake_run_waiters(v_family);
  return 'moved';
end
$function$;

comment on function queue._hand_over(bigint, smallint, boolean) is
$comment$Moves a run and its family to another shard: all their rows leave as one item.
target: number of the shard.
ends_leases: workers that execute them lose their leases; otherwise they are asked to give them back.
Returns moved; asked if they were; waiting if all were asked before.
Errors: OX004 it can't move; OX005 no such run; OX028 it is in another shard; OX029 it has moved.
Touches: the tables of _run_tables(), queue.elsewhere, queue.key_elsewhere, queue.departing; as _send_item() and _lock_family().$comment$;
