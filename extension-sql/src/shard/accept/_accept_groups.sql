create or replace function queue._accept_groups(source smallint, body jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_own    smallint;
  v_group  record;
  v_stayed jsonb[] := array[]::jsonb[];
begin
  perform queue._refuse_internal_queue(g.entry ->> 1)
  from jsonb_array_elements(body -> 'groups') as g (entry);
  select f.shard into v_own from queue.fleet as f;
  for v_group in
    select g.entry, g.entry ->> 1 as queue_name, g.entry ->> 2 as message_group_id
    from jsonb_array_elements(body -> 'groups') as g (entry)
    where (g.entry ->> 0)::smallint = v_own
    -- As senders to several groups take the locks.
    order by queue._group_lock_key(g.entry ->> 1, g.entry ->> 2)
  loop
    perform queue._lock_groups(v_group.queue_name, array[v_group.message_group_id]);
    if queue._resume_group(v_group.queue_name, v_group.message_group_id) then
      v_stayed := v_stayed || v_group.entry;
      -- It may have been noted as one that was about to leave there.
      delete from queue.group_elsewhere as e
      where e.queue_name = v_group.queue_name
        and e.message_group_id = v_group.message_group_id;
    end if;
  end loop;
  insert into queue.group_elsewhere (shard, queue_name, message_group_id)
  -- One that has left here before its home came back is sent on by the shard that it has left for.
  select case when (g.entry ->> 0)::smallint = v_own then source else (g.entry ->> 0)::smallint end, g.entry ->> 1, g.entry ->> 2
  from jsonb_array_elements(body -> 'groups') as g (entry)
  where g.entry <> all (v_stayed)
  on conflict on constraint group_elsewhere_pkey do update set shard = excluded.shard;
end
$function$;

comment on function queue._accept_groups(smallint, jsonb) is
$comment$Notes which message groups are about to be at home here, and have not arrived. Those that had not left stay.
source: number of the other shard.
body: as _record_leaving_groups() writes it.
Touches: queue.group_elsewhere; of groups that had not left, the advisory locks, in the order of their keys (waits); as _resume_group().$comment$;
