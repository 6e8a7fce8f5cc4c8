create or replace function queue.workflow_lag()
returns setof queue.workflow_lag
language plpgsql
stable
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  if not queue._require_current_tables() then
    return;
  end if;

  return query
    select substr(q.name, 6), n.ready_since, extract(epoch from v_now - n.ready_since)::double precision
    from queue.queue as q
    cross join lateral (select queue.workflow_next_visible_at(array[substr(q.name, 6)]) as ready_since) as n
    where q.kind = 'workflow'
      and (q.pool_id is null or q.pool_id = q.queue_id)
      and n.ready_since <= v_now
    order by n.ready_since;
end
$function$;

comment on function queue.workflow_lag() is
$comment$Lists workflows that have a ready run, with the time that the oldest one has waited for a worker. Versions that no worker serves count too. The workflows of a pool count together, under the name "@<pool>".
Returns one row per workflow, longest wait first; no rows if no run is waiting.
Touches: nothing; reads the first ready entry of queue.workflow_continuation per version.$comment$;
