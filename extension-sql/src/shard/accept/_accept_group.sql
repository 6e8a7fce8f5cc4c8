create or replace function queue._accept_group(body jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  -- While shards contradict each other about its home: some seconds at least.
  v_max_hops constant integer := 1000;
  v_queue    constant text := body ->> 'queue';
  v_group    constant text := body ->> 'group';
  v_arrives  constant boolean := coalesce((body ->> 'arrives')::boolean, false);
  v_hops     constant integer := coalesce((body ->> 'hops')::integer, 0);
  v_target   smallint;
  v_ids      bigint[];
begin
  perform queue._refuse_internal_queue(v_queue);
  perform queue._lock_homes(array[queue._route_of(v_group)]);
  perform queue._lock_groups(v_queue, array[v_group]);
  if v_arrives then
    v_target := queue._other_home(queue._route_of(v_group));
  else
    select p.shard into v_target
    from queue._find_group_place(v_queue, v_group) as p
    where not p.is_here;
  end if;
  if v_target is not null then
    if (v_hops < v_max_hops) is not true then
      perform queue._raise('OX004', format('message group "%s" of queue "%s" is not in any shard that should have it', left(v_group, 140), v_queue),
        null, 'See the items that were rejected, and repeat this one after them.');
    end if;
    perform queue._send_item(v_target, 'group', null, body || jsonb_build_object('hops', v_hops + 1));
    return;
  end if;
  if body -> 'messages' <> '[]' then
    v_ids := queue._append_group(v_queue, v_group, body -> 'messages');
  end if;
  if v_arrives then
    insert into queue.deduplication as d (queue_name, deduplication_id, message_group_id, expires_at, msg_id)
    select v_queue, e.entry ->> 'id', v_group, (e.entry ->> 'expiresAt')::timestamptz,
      coalesce(v_ids[m.n], (e.entry ->> 'message')::bigint)
    from jsonb_array_elements(body -> 'deduplication') as e (entry)
    left join jsonb_array_elements(body -> 'messages') with ordinality as m (entry, n) on m.entry ->> 'id' = e.entry ->> 'message'
    on conflict on constraint deduplication_pkey do update
    set expires_at = excluded.expires_at,
      msg_id = excluded.msg_id,
      message_group_id = excluded.message_group_id
    where d.expires_at <= clock_timestamp();
    delete from queue.group_elsewhere as e
    where e.queue_name = v_queue
      and e.message_group_id = v_group;
  end if;
end
$function$;

comment on function queue._accept_group(jsonb) is
$comment$Appends messages to a group: all that it has, if it arrives, after which sends to it take place here; otherwise those of topics or dead letters of another shard.
body: as _send_group() or _send_to_groups() writes it.
Errors: as _append_group(); OX007 the queue belongs to Oxbow; OX004 shards have sent it to each other 1,000 times.
Touches: as _lock_homes(); the group's advisory lock (waits); as _append_group(); queue.deduplication, queue.group_elsewhere; as _send_item() if the group is elsewhere.$comment$;
