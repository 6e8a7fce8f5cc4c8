create or replace function queue.workflow_set_max_retention(days integer)
returns boolean
language plpgsql
volatile
security definer
-- plans: index
as $function$
begin
  perform queue._ensure_migrated();
  if (days between 0 and 36500) is false then
    perform queue._raise('OX004', format('invalid ceiling of %s days', days), null,
      'A ceiling is between 0 and 36500 days; null removes it.');
  end if;
  -- Usually nothing has changed, and nothing is written.
  update queue.workflow_setting as s
  set max_retention_days = workflow_set_max_retention.days
  where s.is_the_only_one
    and s.max_retention_days is distinct from workflow_set_max_retention.days;
  if not found then
    return false;
  end if;
  perform queue._record_action('setting.change', 'setting', array['max_retention_days'],
    jsonb_build_object('days', days));
  return true;
end
$function$;

comment on function queue.workflow_set_max_retention(integer) is
$comment$Sets a ceiling for how long ended runs of all workflows are kept. A run started from now on, by any client, has at most this retention; workflow_sweep() also deletes older runs that were started with a longer one. A server sets it to WORKFLOWS_MAX_RETENTION_DAYS, again before each sweep.
days: 0 to 36500; null means no ceiling.
Returns whether the ceiling has changed.
Errors: OX004 invalid argument.
Touches: queue.workflow_setting; queue.audit.$comment$;
