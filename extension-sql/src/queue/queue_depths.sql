create or replace function queue.queue_depths(name text, since timestamptz default null)
returns setof queue.depth_sample
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_name  constant text := (queue._find_queue(queue_depths.name, null, 'read')).name;
  v_now   constant timestamptz := clock_timestamp();
  v_since constant timestamptz := coalesce(since, v_now - interval '24 hours');
  v_first constant timestamptz := coalesce(
    (
      select max(d.sampled_at)
      from queue.queue_depth as d
      where d.queue_name = v_name
        and d.sampled_at <= v_since
    ),
    v_since
  );
begin
  return query
    with changed as materialized (
      select d.sampled_at, d.visible, d.in_flight, d.delayed, d.oldest_at, d.is_estimate
      from queue.queue_depth as d
      where d.queue_name = v_name
        and d.sampled_at >= v_first
    ),
    span as materialized (
      select s.began_at, s.last_at, lead(s.began_at, 1, v_now) over (order by s.began_at) as next_at
      from queue.depth_span as s
      where s.last_at >= v_first
    ),
    depth as materialized (
      select c.*
      from changed as c
      union all
      -- From when a look was due that no server took.
      select s.last_at + interval '1 minute', null, null, null, null, false
      from span as s
      where s.next_at > s.last_at + interval '2 minutes'
        and exists (select from changed as c where c.sampled_at <= s.last_at)
      union all
      -- The first look afterwards found what the last one before had found.
      select s.began_at, found.visible, found.in_flight, found.delayed, found.oldest_at, found.is_estimate
      from span as s
      cross join lateral (
        select c.*
        from changed as c
        where c.sampled_at <= s.began_at
        order by c.sampled_at desc
        limit 1
      ) as found
      where found.sampled_at < s.began_at
    )
    select d.sampled_at, d.visible, d.in_flight, d.delayed, d.oldest_at, d.is_estimate
    from depth as d
    where d.sampled_at >= coalesce(
      (select max(before.sampled_at) from depth as before where before.sampled_at <= v_since), v_since
    )
    order by d.sampled_at;
end
$function$;

comment on function queue.queue_depths(text, timestamptz) is
$comment$Returns how many messages a queue has held, oldest first. A server looks once a minute, and writes what has changed: a depth is that of the queue until the next one. Before the first, the queue was empty, or no server looked.
since: from this instant on; null means the last 24 hours, for which a server keeps samples. The first row may be older: it is the depth at that instant.
Returns a row per change, and one without numbers where nothing is known from then on, because no server looked, so many queues were deeper that this one was not sampled, or its table was locked.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads queue.queue_depth and queue.depth_span.$comment$;
