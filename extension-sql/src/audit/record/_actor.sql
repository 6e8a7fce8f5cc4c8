create or replace function queue._actor()
returns queue.audit_actor
language plpgsql
stable
as $function$
declare
  v_setting constant text := nullif(current_setting('oxbow.actor', true), '');
  v_actor   queue.audit_actor;
  v_named   jsonb;
begin
  v_actor.kind := 'role';
  -- The login: SET ROLE decides about rights, and would let one person act under several names.
  v_actor.name := session_user::text;
  v_actor.address := host(inet_client_addr());
  if v_setting is null or not queue._is_administrator() then
    return v_actor;
  end if;

  if not starts_with(v_setting, '{') then
    v_actor.kind := 'delegate';
    v_actor.name := left(v_setting, 200);
    return v_actor;
  end if;
  begin
    v_named := v_setting::jsonb;
  exception when data_exception then
    perform queue._raise('OX004', format('invalid setting oxbow.actor "%s"', left(v_setting, 100)), null,
      'Set it to the name of the actor.');
  end;
  v_actor.address := coalesce(v_named ->> 'address', v_actor.address);
  if v_named ->> 'actor' is not null and v_named ->> 'kind' in ('token', 'user', 'delegate') then
    v_actor.kind := v_named ->> 'kind';
    v_actor.name := left(v_named ->> 'actor', 200);
    v_actor.token := v_named ->> 'token';
  end if;
  return v_actor;
end
$function$;

comment on function queue._actor() is
$comment$Returns who acts in this transaction: the role that logged in, whatever SET ROLE has made of it, or the actor that the setting oxbow.actor names, which is believed only from administrators.
Errors: OX004 invalid setting oxbow.actor.$comment$;
