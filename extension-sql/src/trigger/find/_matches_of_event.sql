create or replace function queue._matches_of_event(event_id bigint, definition_id bigint)
returns jsonb
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select coalesce(jsonb_agg(m.match order by m.definition, m.name), '[]')
    from (
      select d.name as definition, m.name,
        jsonb_build_object(
          'definition', d.name, 'trigger', m.name, 'version', m.version, 'outcome', m.outcome, 'error', m.error,
          'runId', m.run_id::text, 'dueAt', m.due_at, 'onceKey', m.once_key
        ) as match
      from queue.trigger_match as m
      join queue.definition as d on d.definition_id = m.definition_id
      where m.event_id = _matches_of_event.event_id
        and (m.definition_id = _matches_of_event.definition_id or _matches_of_event.definition_id is null)
      limit 100
    ) as m
  );
end
$function$;

comment on function queue._matches_of_event(bigint, bigint) is
$comment$Lists what became of the triggers that an event matched.
definition_id: only of this definition; null for all.
Returns an array of up to 100.
Touches: nothing; reads queue.trigger_match.$comment$;
