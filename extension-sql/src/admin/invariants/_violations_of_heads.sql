create or replace function queue._violations_of_heads(name text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
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
end
$function$;

comment on function queue._violations_of_heads(text, regclass) is
$comment$Returns message groups of a FIFO queue that break the invariant: a group has one head, which is its oldest message or a tombstone.
Returns one row per violation.
Touches: nothing; reads the queue's table.$comment$;
