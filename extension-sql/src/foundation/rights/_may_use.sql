create or replace function queue._may_use(queue text, privilege text)
returns boolean
language plpgsql
stable
parallel safe
as $function$
declare
  v_caller constant name := queue._caller();
begin
  -- The owner of the functions, with whose privileges this runs, and roles that may become the owner.
  if _may_use.privilege is null or v_caller = current_user or pg_has_role(v_caller, current_user, 'usage') then
    return true;
  end if;

  return exists (
    select
    from pg_roles as r
    where r.rolname = any (case _may_use.privilege
        when 'send' then array['oxbow_producer', 'oxbow_admin']
        when 'receive' then array['oxbow_worker', 'oxbow_admin']
        when 'peek' then array['oxbow_worker', 'oxbow_reader', 'oxbow_admin']
        else array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin']
      end)
      and pg_has_role(v_caller, r.oid, 'usage')
  ) or exists (
    select
    from queue.queue_grant as g
    join pg_roles as r on r.rolname = g.role_name
    where g.queue_name = _may_use.queue
      and (
        g.privilege = _may_use.privilege
        or _may_use.privilege = 'read'
        or _may_use.privilege = 'peek' and g.privilege = 'receive'
      )
      and pg_has_role(v_caller, r.oid, 'usage')
  );
end
$function$;

comment on function queue._may_use(text, text) is
$comment$Returns whether the caller may use a queue: as the owner of the functions, as a member of one of Oxbow's roles, or by grant_queue().
privilege: send, receive, peek (reading messages without receiving them) or read (settings and counts); null is always allowed.
Touches: nothing; reads queue.queue_grant.$comment$;
