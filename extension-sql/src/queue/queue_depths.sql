create or replace function queue.queue_depths(name text, since timestamptz default null)
returns setof queue.depth_sample
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_name  constant text := (queue._find_queue(queue_depths.name, null, 'read')).name;
  v_since constant timestamptz := coalesce(since, clock_timestamp() - interval '24 hours');
begin
  return query
    select d.sampled_at, d.visible, d.in_flight, d.delayed, d.oldest_at, d.is_estimate
    from queue.queue_depth as d
    where d.queue_name = v_name
      and d.sampled_at >= coalesce(
        (
          select max(before.sampled_at)
          from queue.queue_depth as before
          where before.queue_name = v_name
            and before.sampled_at <= v_since
        ),
        v_since
      )
    order by d.sampled_at;
end
$function$;

comment on function queue.queue_depths(text, timestamptz) is
$comment$Returns how many messages a queue has held, oldest first. A server looks once a minute, and writes what has changed: a depth is that of the queue until the next one. Before the first, the queue was empty, or no server looked.
since: from this instant on; null means the last 24 hours, for which a server keeps samples. The first row may be older: it is the depth at that instant.
Returns a row per change.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads queue.queue_depth.$comment$;
