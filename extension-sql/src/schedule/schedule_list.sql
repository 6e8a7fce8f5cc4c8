create or replace function queue.schedule_list(name text default null)
returns setof queue.schedule_info
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.name, s.workflow_name, s.workflow_version, s.cron, s.every_seconds, s.time_zone, s.input, s.tags,
      s.retention_days, extract(epoch from s.jitter), s.catch_up, s.catch_up_limit, extract(epoch from s.grace),
      s.overlap, s.created_at, s.changed_at, s.paused_at, s.pause_reason, s.next_tick_at, s.last_tick_at,
      s.last_run_id
    from queue.schedule as s
    where s.name = schedule_list.name
      or schedule_list.name is null
    order by s.name;
end
$function$;

comment on function queue.schedule_list(text) is
$comment$Lists schedules by name.
name: lists this schedule only; null lists all.
Returns one row per schedule.
Touches: nothing; reads queue.schedule.$comment$;
