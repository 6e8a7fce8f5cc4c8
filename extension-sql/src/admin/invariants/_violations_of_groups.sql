create or replace function queue._violations_of_groups(name text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
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

comment on function queue._violations_of_groups(text, regclass) is
$comment$Returns message groups of a FIFO queue of a fleet that break the invariant: a group is in one shard, where its route is at home, or which it is about to leave.
Returns one row per violation; no rows in a standalone database.
Touches: nothing; reads the queue's table, queue.leaving_group, queue.group_elsewhere; as _homes_of().$comment$;
