create or replace function queue.definition_list(
  folder          text default null,
  state           text default null,
  search          text default null,
  after           text default null,
  max_definitions integer default 100,
  name            text default null
)
returns setof queue.definition_summary
language plpgsql
stable
security definer
as $function$
begin
  if (state in ('draft', 'published', 'paused', 'archived')) is false then
    perform queue._raise('OX004', format('invalid state "%s"', left(state, 40)), null,
      'A definition is draft, published, paused or archived.');
  end if;
  perform queue._check_count(max_definitions, 'max_definitions', 1000, 'List between 1 and 1000 definitions at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.*
    from queue._summarize_definitions(array(
      select d.name
      from queue.definition as d
      where (definition_list.name is null or d.name = definition_list.name)
        and (definition_list.folder is null or d.folder = definition_list.folder)
        and (definition_list.state is null or d.state = definition_list.state)
        and (
          definition_list.search is null
          or position(lower(definition_list.search) in lower(concat_ws(' ', d.name, d.title))) > 0
        )
        and (definition_list.after is null or d.name > definition_list.after)
      order by d.name
      limit max_definitions
    )) as s;
end
$function$;

comment on function queue.definition_list(text, text, text, text, integer, text) is
$comment$Lists definitions by name.
folder: lists those of this folder; null lists all.
state: draft, published, paused or archived; null lists all.
search: lists those with this text in their name or title.
after: name of the last definition of the previous page; null for the first page.
max_definitions: 1 to 1000.
name: lists the one with exactly this name, if there is one.
Returns one row per definition.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
