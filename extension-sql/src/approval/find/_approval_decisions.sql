create or replace function queue._approval_decisions(approval_id bigint)
returns jsonb
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object(
        'actor', d.actor,
        'decision', d.decision,
        'values', coalesce(d.form_values, '{}'),
        'at', to_char(d.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      )
      order by d.decided_at, d.actor
    ), '[]')
    from queue.approval_decision as d
    where d.approval_id = _approval_decisions.approval_id
  );
end
$function$;

comment on function queue._approval_decisions(bigint) is
$comment$Returns what people decided about a request so far, as in queue.approval_state.
Returns an empty list if there are no decisions.
Touches: nothing; reads queue.approval_decision.$comment$;
