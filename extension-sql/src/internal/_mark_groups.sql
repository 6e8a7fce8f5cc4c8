create or replace function queue._mark_groups(queue text, message_group_ids text[], heads bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  with marked as (
    insert into queue.group_mark (taken_at, empty_below, queue_name, message_group_id)
    select clock_timestamp(), i.msg_id, _mark_groups.queue, i.message_group_id
    from unnest(_mark_groups.message_group_ids, _mark_groups.heads) as i (message_group_id, msg_id)
  )
  delete from queue.group_mark as o
  where (o.queue_name, o.message_group_id, o.mark_id) in (
    select o.queue_name, o.message_group_id, o.mark_id
    from unnest(_mark_groups.message_group_ids) as i (message_group_id)
    cross join lateral (
      select g.queue_name, g.message_group_id, g.mark_id
      from queue.group_mark as g
      where g.queue_name = _mark_groups.queue
        and g.message_group_id = i.message_group_id
      order by g.mark_id desc
      limit 1
      for update skip locked
    ) as o
  );

  delete from queue.group_mark as o
  where o.mark_id in (
    select g.mark_id
    from queue.group_mark as g
    where g.taken_at < clock_timestamp() - interval '10 minutes'
    order by g.taken_at
    limit 2
    for update skip locked
  );
end
$function$;

comment on function queue._mark_groups(text, text[], bigint[]) is
$comment$Notes that all messages of groups before their new heads have gone, so that the next send does not look for them among dead index entries.
message_group_ids, heads: groups that the caller has locked and found empty, and the ids of their new heads.
Touches: queue.group_mark: a row a group, and two old ones.$comment$;
