create or replace function queue._mark_pool_limited(pool_id integer)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  update queue.queue as q
  set flow_control = '{}'
  where q.queue_id = _mark_pool_limited.pool_id
    and q.flow_control is null;
end
$function$;

comment on function queue._mark_pool_limited(integer) is
$comment$Lets receives of a pool look for runs of its workflows that wait for admission, because one of these has flow control.
pool_id: null does nothing.
Touches: queue.queue.$comment$;
