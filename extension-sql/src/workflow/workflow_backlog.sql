create or replace function queue.workflow_backlog()
returns setof queue.workflow_backlog
language plpgsql
stable
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._require_current_tables();
  return query
    select substr(q.name, 6), coalesce(r.workflow_version, m.version), count(*), v_now - min(m.visible_at)
    from queue.workflow_continuation as m
    join queue.queue as q on q.queue_id = coalesce(m.workflow_queue_id, m.queue_id)
    left join queue.workflow_run as r
      on m.workflow_queue_id is not null
      and r.run_id = m.msg_id
    where m.visible_at <= v_now
      or m.suspect_at <= v_now
    group by q.name, coalesce(r.workflow_version, m.version)
    order by q.name, coalesce(r.workflow_version, m.version);
end
$function$;

comment on function queue.workflow_backlog() is
$comment$Lists versions of workflows that have ready runs which no worker is executing: no worker serves the version, or too few do.
Returns one row per such version, by name. It reads all ready runs in flight, so it suits dashboards and diagnosis rather than a hot path.
Touches: nothing; reads queue.workflow_continuation.$comment$;
