create or replace function queue.approval_link(approval_id bigint, actor text, groups text[] default null)
returns text
language plpgsql
volatile
security definer
as $function$
declare
  -- 244 random bits of the server's secure generator.
  v_token    constant text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  v_approval record;
begin
  perform queue._migrate_if_older();
  if queue._is_name(actor) is not true then
    perform queue._raise('OX004', format('invalid actor "%s"', left(coalesce(actor, 'null'), 260)), null,
      'An actor is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  select a.approvers, a.starters into v_approval
  from queue.approval as a
  where a.approval_id = approval_link.approval_id
  for key share;
  if not found then
    perform queue._raise_approval_not_found(format('approval %s', coalesce(approval_link.approval_id::text, 'null')));
  end if;
  perform queue._require_approver(approval_id, v_approval.approvers, v_approval.starters, actor, groups);

  insert into queue.approval_token (approval_id, created_at, token_hash, actor, actor_groups)
  values (approval_link.approval_id, clock_timestamp(), sha256(convert_to(v_token, 'UTF8')), approval_link.actor, groups);
  perform queue._record_action('approval.link', 'approval', array[approval_link.approval_id::text],
    jsonb_build_object('for', actor));
  return v_token;
end
$function$;

comment on function queue.approval_link(bigint, text, text[]) is
$comment$Creates a link by which one person can decide one request without signing in. A server shows the request at /approve/<token>. Send the link only to that person: with it, anyone decides in that name.
actor, groups: the person and the person's groups, whom the request must name.
Returns the token, 64 hexadecimal digits, which is stored nowhere. It decides until the request ends, and shows the request afterwards.
Errors: OX004 invalid actor, OX022 no such approval, OX023 the person may not decide it.
Touches: queue.approval_token, queue.audit; locks the row of queue.approval against deletion.$comment$;
