create or replace function queue.dead_letter_queues(max_queues integer default 100, after text default '')
returns setof queue.dead_letter_queue
language plpgsql
stable
security definer
as $function$
declare
  v_left  integer := max_queues;
  v_table text;
  v_found queue.dead_letter_queue;
begin
  perform queue._check_count(max_queues, 'max_queues', 1000, 'List between 1 and 1000 queues at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  for v_found.name, v_table in
    select q.name, 'q_' || q.name
    from queue.queue as q
    cross join lateral to_regclass(format('queue.%I', 'q_' || q.name)) as t (oid)
    where q.name collate "C" > coalesce(dead_letter_queues.after, '')
      and not starts_with(q.name, '__')
      and exists (select from queue.queue as d where d.dead_letter_queue = q.name)
      -- Without a lock that stays: most tables have never had a message.
      and pg_relation_size(t.oid) > 0
    order by q.name collate "C"
  loop
    begin
      execute format($sql$
        select count(*), count(*) > 10000
        from (select from queue.%I as m where m.message is not null limit 10001) as m
      $sql$, v_table)
      into v_found.messages, v_found.has_more;
    exception
      -- Dropped since it was listed.
      when undefined_table then
        continue;
    end;
    continue when v_found.messages = 0;
    v_found.messages := least(v_found.messages, 10000);
    return next v_found;
    v_left := v_left - 1;
    exit when v_left = 0;
  end loop;
end
$function$;

comment on function queue.dead_letter_queues(integer, text) is
$comment$Lists the queues that hold messages and that other queues name as their dead letter queue. It reads at most 10001 messages of a queue, and skips queues that have never had one. For dead letters of topics, see topic_dead_letters().
max_queues: at most this many, 1 to 1000.
after: only queues whose names come after this one, for the next page.
Returns one row per queue, by name.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.queue, the queues' tables.$comment$;
