create or replace function queue.definition_resume(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._ensure_migrated();
  perform queue._lock_epoch();
  if (queue._lock_definition(name)).paused_at is null then
    perform queue._record_action('definition.resume', 'definition', array[name], changed => false);
    return false;
  end if;
  update queue.definition as d
  set paused_at = null,
    pause_reason = null
  where d.name = definition_resume.name;
  perform queue._advance_epoch();
  perform queue._record_action('definition.resume', 'definition', array[name]);
  return true;
end
$function$;

comment on function queue.definition_resume(text) is
$comment$Resumes a paused definition: it starts runs again. Starts that it missed during the pause are not made up for.
Returns false if it was not paused.
Errors: OX012 no such definition.
Touches: queue.definition, queue.definition_setting, queue.audit.$comment$;
