create or replace function queue.workflow_workers()
returns setof queue.workflow_worker_entry
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
    select w.worker_id, w.host, w.process_id, w.sdk_version, w.serves, w.slots, w.busy_slots, w.started_at, w.last_seen_at,
      w.last_seen_at > v_now - interval '1 minute'
    from queue.workflow_worker as w
    where w.last_seen_at > v_now - interval '1 hour'
    order by w.host, w.process_id, w.started_at, w.worker_id;
end
$function$;

comment on function queue.workflow_workers() is
$comment$Lists the workers that have reported themselves within the last hour, with the versions that they serve. A worker that stops leaves the list; one that was killed remains for an hour, with is_live false.
Returns one row per worker, by host and process.
Touches: nothing; reads queue.workflow_worker.$comment$;
