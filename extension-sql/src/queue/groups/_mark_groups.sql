create or replace function queue._mark_groups(
  queue             text,
  message_group_ids text[],
  heads             bigint[],
  has_marks         boolean,
  is_slow           boolean
)
returns void
language plpgsql
volatile
-- plans: index, no bitmap, nested loop
as $function$
begin
  if not is_slow and not has_marks then
    return;
  end if;

  -- A group whose mark is far behind gets another one before its sends become slow again.
  with stale as materialized (
    select i.message_group_id, i.msg_id, newest.mark_id
    from unnest(_mark_groups.message_group_ids, _mark_groups.heads) as i (message_group_id, msg_id)
    left join lateral (
      select g.mark_id, g.empty_below
      from queue.group_mark as g
      where g.queue_name = _mark_groups.queue
        and g.message_group_id = i.message_group_id
      order by g.mark_id desc
      limit 1
    ) as newest on true
    where _mark_groups.is_slow
      or newest.empty_below < i.msg_id - 20000
  ),
  marked as (
    insert into queue.group_mark (taken_at, empty_below, queue_name, message_group_id)
    select clock_timestamp(), s.msg_id, _mark_groups.queue, s.message_group_id
    from stale as s
  )
  delete from queue.group_mark as o
  using stale as s
  where o.queue_name = _mark_groups.queue
    and o.message_group_id = s.message_group_id
    and o.mark_id = s.mark_id;
end
$function$;

comment on function queue._mark_groups(text, text[], bigint[], boolean, boolean) is
$comment$Records that no message of a group is left before its new head, so that the next send does not search for one among dead index entries.
message_group_ids, heads: groups that the caller has locked and found empty, and the ids of their new heads.
has_marks: whether one of them has a mark.
is_slow: whether the search took long. Then each group gets a mark; otherwise only groups whose mark is 20,000 messages old.
Touches: queue.group_mark, two rows per group. Marks of unused groups are deleted when the ready index is read from its beginning.$comment$;
