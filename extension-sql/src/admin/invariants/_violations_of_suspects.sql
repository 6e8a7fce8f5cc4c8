create or replace function queue._violations_of_suspects(name text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
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
end
$function$;

comment on function queue._violations_of_suspects(text, regclass) is
$comment$Returns messages that break the invariant of suspects: a message that is visible at infinity has a row in queue.suspect, and its queue is marked as one with suspects, unless its group is about to leave this shard. Otherwise no receive would ever deliver it.
Returns one row per violation.
Touches: nothing; reads the queue's table, queue.suspect, queue.queue and queue.leaving_group.$comment$;
