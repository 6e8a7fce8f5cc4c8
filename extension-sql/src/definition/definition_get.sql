create or replace function queue.definition_get(name text)
returns setof queue.definition_state
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.*, d.draft, l.layout
    from queue._summarize_definitions(array[definition_get.name]) as s
    join queue.definition as d on d.name = s.name
    left join queue.definition_layout as l
      on l.definition_id = d.definition_id
      and l.version = 0;
end
$function$;

comment on function queue.definition_get(text) is
$comment$Returns a definition with its draft.
Returns no row if the definition does not exist.
Touches: nothing; reads queue.definition, queue.definition_version, queue.definition_layout.$comment$;
