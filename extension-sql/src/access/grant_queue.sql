create or replace function queue.grant_queue(queue text, role_name name, privilege text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(grant_queue.queue);
begin
  if (grant_queue.privilege in ('send', 'receive')) is not true then
    perform queue._raise('OX004', format('invalid privilege "%s"', coalesce(grant_queue.privilege, 'null')), null,
      'A privilege is send or receive; receive includes acknowledging.');
  end if;
  if not exists (select from pg_roles as r where r.rolname = grant_queue.role_name) then
    perform queue._raise('42704', format('role "%s" does not exist', coalesce(grant_queue.role_name, 'null')), null,
      'Create the role first.');
  end if;

  perform queue._lock_name('privileges');
  -- A restored dump may have lost the privileges that an upgrade gave.
  perform queue._grant_functions(grant_queue.privilege, grant_queue.role_name);
  insert into queue.queue_grant (granted_at, queue_name, role_name, privilege)
  values (clock_timestamp(), v_queue.name, grant_queue.role_name, grant_queue.privilege)
  on conflict do nothing;
  if not found then
    return false;
  end if;
  perform queue._record_action('queue.grant', 'queue', array[v_queue.name],
    jsonb_build_object('role', grant_queue.role_name, 'privilege', grant_queue.privilege));
  return true;
end
$function$;

comment on function queue.grant_queue(text, name, text) is
$comment$Allows a role and its members to use one queue. Members of oxbow_producer and oxbow_worker may use all queues without a grant.
privilege: send; or receive, which includes acknowledging, peeking and changing the visibility.
Returns true if this call granted the privilege; false if the role already had it. Concurrent calls wait for each other.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow, 42704 no such role.
Touches: queue.name_lock (waits), queue.queue_grant, privileges of functions and of schema queue; queue.audit.$comment$;
