create or replace function queue.revoke_queue(queue text, role_name name, privilege text)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._migrate_if_older();
  delete from queue.queue_grant as g
  where g.queue_name = revoke_queue.queue
    and g.role_name = revoke_queue.role_name
    and g.privilege = revoke_queue.privilege;
  if not found then
    return false;
  end if;
  perform queue._record_action('queue.revoke', 'queue', array[revoke_queue.queue],
    jsonb_build_object('role', revoke_queue.role_name, 'privilege', revoke_queue.privilege));
  return true;
end
$function$;

comment on function queue.revoke_queue(text, name, text) is
$comment$Revokes a privilege granted by grant_queue(). The role may still call the functions, but they reject this queue.
privilege: send or receive.
Returns true if this call revoked the privilege; false if the role did not have it.
Touches: queue.queue_grant; queue.audit.$comment$;
