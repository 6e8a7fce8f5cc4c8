create or replace function queue._resume_group(queue text, message_group_id text)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_held queue.leaving_group;
begin
  delete from queue.leaving_group as l
  where l.queue_name = _resume_group.queue
    and l.message_group_id = _resume_group.message_group_id
  returning l.* into v_held;
  if not found then
    return false;
  end if;
  perform queue._release_message(queue, v_held.held_id, v_held.visible_at);
  return true;
end
$function$;

comment on function queue._resume_group(text, text) is
$comment$Lets a message group stay that was about to leave, since its home has come back.
queue, message_group_id: of a group whose lock the caller holds.
Returns whether it was about to leave.
Touches: queue.leaving_group; as _release_message().$comment$;
