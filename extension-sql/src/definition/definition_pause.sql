create or replace function queue.definition_pause(name text, reason text default null)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._ensure_migrated();
  perform queue._lock_epoch();
  if (queue._lock_definition(name)).paused_at is not null then
    perform queue._record_action('definition.pause', 'definition', array[name], changed => false);
    return false;
  end if;
  update queue.definition as d
  set paused_at = clock_timestamp(),
    pause_reason = definition_pause.reason
  where d.name = definition_pause.name;
  perform queue._advance_epoch();
  perform queue._record_action('definition.pause', 'definition', array[name], jsonb_build_object('reason', reason));
  return true;
end
$function$;

comment on function queue.definition_pause(text, text) is
$comment$Pauses a definition: definition_start() and its triggers start no runs until definition_resume(). Runs in progress continue.
reason: shown with the definition.
Returns true if this call paused it; false if it was already paused.
Errors: OX012 no such definition.
Touches: queue.definition, queue.definition_setting, queue.audit.$comment$;
