create or replace function queue.approval_of_link(token text)
returns queue.approval_recipient
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_found queue.approval_recipient;
begin
  perform queue._require_current_tables();
  select l.approval_id, l.actor, l.actor_groups into v_found
  from queue.approval_token as l
  where l.token_hash = sha256(convert_to(token, 'UTF8'));
  if not found then
    perform queue._raise_approval_not_found('the approval of this link');
  end if;
  return v_found;
end
$function$;

comment on function queue.approval_of_link(text) is
$comment$Finds the request and the person of a link.
token: as returned by approval_link().
Returns the person whom the link is for, also after the request has ended.
Errors: OX022 no such approval.
Touches: nothing; reads queue.approval_token.$comment$;
