create or replace function queue.schedule_delete(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._require_own_schedule(name);
  perform from queue.schedule as s where s.name = schedule_delete.name for update;
  if not found then
    return false;
  end if;
  perform queue._require_free_schedule(name);
  perform queue._cancel_tick(name);
  delete from queue.schedule as s where s.name = schedule_delete.name;
  perform queue._record_action('schedule.delete', 'schedule', array[name]);
  return true;
end
$function$;

comment on function queue.schedule_delete(text) is
$comment$Deletes a schedule: it starts nothing after the commit. Its runs are unaffected.
Returns false if the schedule does not exist.
Errors: OX004 it belongs to a trigger of a definition, OX028 it is at home in another shard.
Touches: queue.schedule, the table of queue __schedules; queue.audit.$comment$;
