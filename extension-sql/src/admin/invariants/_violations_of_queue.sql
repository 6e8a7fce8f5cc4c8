create or replace function queue._violations_of_queue(name text, kind text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
as $function$
begin
  -- The reverse isn't one: the row of a message whose consumer was alive after all stays until the next receive.
  return query execute format($sql$
    select 'a message that waits apart is a noted suspect', format('queue "%%s", message %%s', $1, m.msg_id),
      case when n.is_noted then 'its queue has suspects' else 'its queue never had a suspect' end
    from %1$s as m
    cross join (
      select exists (select from queue.queue as q where q.name = $1 and q.suspected_at is not null)
    ) as n (is_noted)
    where m.visible_at = 'infinity'
      and not exists (select from queue.leaving_group as l where l.queue_name = $1 and l.held_id = m.msg_id)
      and not (n.is_noted and exists (
        select from queue.suspect as s where s.queue_name = $1 and s.msg_id = m.msg_id
      ))
  $sql$, queue_table)
  using name;
  if kind = 'standard' then
    return;
  end if;
  return query execute format($sql$
    select 'a message group has one head, its oldest message',
      format('queue "%%s", group "%%s"', $1, m.message_group_id),
      format('oldest %%s, head %%s', min(m.msg_id), coalesce(min(m.msg_id) filter (where m.head)::text, 'none'))
    from %1$s as m
    group by m.message_group_id
    having count(*) filter (where m.head) = 0
      or count(*) filter (where m.head and m.message is not null) > 1
      or min(m.msg_id) filter (where m.head and m.message is not null)
        <> min(m.msg_id) filter (where m.message is not null)
  $sql$, queue_table)
  using name;
  if not queue._in_fleet() or starts_with(name, '__') then
    return;
  end if;
  return query execute format($sql$
    select 'a message group is where its route is at home, or about to leave', format('queue "%%s", group "%%s"', $1, g.id),
      format('at home in shard %%s', h.shard)
    from (select distinct m.message_group_id as id from %1$s as m) as g
    cross join lateral queue._homes_of(array[queue._route_of(g.id)]) as h
    join queue.fleet as f on f.shard <> h.shard
    where not exists (select from queue.leaving_group as l where l.queue_name = $1 and l.message_group_id = g.id)
    union all
    select 'a message group that has not arrived has no messages', format('queue "%%s", group "%%s"', $1, e.message_group_id),
      format('it arrives from shard %%s', e.shard)
    from queue.group_elsewhere as e
    where e.queue_name = $1
      and exists (select from %1$s as m where m.message_group_id = e.message_group_id and m.message is not null)
  $sql$, queue_table)
  using name;
end
$function$;

comment on function queue._violations_of_queue(text, text, regclass) is
$comment$Returns the broken invariants of a queue. A message that is visible at infinity has a row in queue.suspect, and its queue is marked as one with suspects, unless its group is about to leave this shard: otherwise no receive would ever deliver it. A group of a FIFO queue has one head, which is its oldest message or a tombstone. In a fleet, a group is in one shard, where its route is at home, or which it is about to leave.
Touches: nothing; reads the queue's table, queue.suspect, queue.queue, queue.leaving_group, queue.group_elsewhere; as _homes_of().$comment$;
