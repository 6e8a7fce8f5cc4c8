create or replace function queue._require_approver(
  approval_id bigint,
  approvers   text[],
  starters    text[],
  actor       text,
  groups      text[]
)
returns void
language plpgsql
stable
as $function$
begin
  if queue._may_decide(approvers, starters, actor, groups) is true then
    return;
  end if;
  if queue._names_person(starters, actor) is not false then
    perform queue._raise('OX023', format('"%s" started the run, and can''t decide approval %s', actor, approval_id),
      null, 'Another person must decide it.');
  end if;
  perform queue._raise('OX023', format('"%s" is not an approver of approval %s', actor, approval_id), null,
    'One of its approvers must decide it; approval_get() returns them.');
end
$function$;

comment on function queue._require_approver(bigint, text[], text[], text, text[]) is
$comment$Checks that a person may decide a request, as _may_decide() does.
approvers, starters: of the request.
groups: of the person.
Errors: OX023 the person may not decide it.$comment$;
