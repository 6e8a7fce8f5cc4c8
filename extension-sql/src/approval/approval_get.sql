create or replace function queue.approval_get(approval_id bigint)
returns queue.approval_state
language plpgsql
stable
security definer
as $function$
declare
  v_found queue.approval_state;
begin
  perform queue._require_current_tables();
  select d.* into v_found
  from queue._describe_approvals(array[approval_get.approval_id]) as d;
  if not found then
    perform queue._raise_approval_not_found(format('approval %s', coalesce(approval_get.approval_id::text, 'null')));
  end if;
  return v_found;
end
$function$;

comment on function queue.approval_get(bigint) is
$comment$Reads a request for approval.
Returns the request with its decisions.
Errors: OX022 no such approval.
Touches: nothing; reads queue.approval and queue.approval_decision.$comment$;
