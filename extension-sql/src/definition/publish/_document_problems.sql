create or replace function queue._document_problems(document jsonb)
returns jsonb
language plpgsql
stable
as $function$
declare
  v_problems jsonb;
begin
  v_problems := case
    when document -> 'format' is distinct from '1'::jsonb then
      queue._problem('WRONG_VALUE', '/format', 'the format is not 1', 'Write 1.')
    when jsonb_typeof(document -> 'nodes') is distinct from 'object' or document -> 'nodes' = '{}' then
      queue._problem('TOO_FEW', '/nodes', 'the document has no nodes', 'Add at least one.')
    when jsonb_typeof(coalesce(document -> 'edges', '[]')) <> 'array' then
      queue._problem('WRONG_TYPE', '/edges', 'the edges are no array', 'Give an array.')
    when document #>> '{settings,pool}' !~ '^[a-z0-9][a-z0-9_-]{0,41}$' then
      queue._problem('INVALID_NAME', '/settings/pool', 'the pool has no valid name',
        'Use 1 to 42 of the characters a-z, 0-9, "_" and "-".')
    when jsonb_array_length(coalesce(document -> 'edges', '[]')) > 3000 then
      queue._problem('TOO_MANY', '/edges', 'there are more than 3000 edges', 'Use at most 3000 items.')
  end;
  if v_problems is not null then
    return jsonb_build_array(v_problems);
  end if;

  select jsonb_agg(p.problem order by p.problem ->> 'pointer')
  into v_problems
  from (
    select queue._problem('INVALID_NAME', '/nodes/' || n.id, format('"%s" is no id of a node', left(n.id, 80)),
      'Use a letter and up to 31 of the characters a-z, 0-9 and "_".') as problem
    from jsonb_object_keys(document -> 'nodes') as n (id)
    where n.id !~ '^[a-z][a-z0-9_]{0,31}$'
    union all
    select queue._problem('MISSING_MEMBER', '/nodes/' || n.id, format('"%s" has no type', left(n.id, 80)),
      'Add the member "type", such as "http.request@1".')
    from jsonb_each(document -> 'nodes') as n (id, node)
    where n.id ~ '^[a-z][a-z0-9_]{0,31}$'
      and coalesce(n.node ->> 'type', '') !~ '^[a-z][a-z0-9_.]*@[1-9][0-9]*$'
    union all
    select queue._problem('UNKNOWN_NODE', format('/edges/%s/%s', e.position - 1, s.side),
      format('there is no node "%s"', left(coalesce(e.edge ->> s.side, 'null'), 80)), 'Name a node of the document.')
    from jsonb_array_elements(document -> 'edges') with ordinality as e (edge, position)
    cross join (values ('from'), ('to')) as s (side)
    where not document -> 'nodes' ? coalesce(e.edge ->> s.side, '')
  ) as p;
  if v_problems is null and queue._has_cycle(document -> 'edges') then
    v_problems := jsonb_build_array(
      queue._problem('CYCLE', '/edges', 'edges form a cycle', 'Remove one of them, or use a loop.')
    );
  end if;
  return v_problems;
end
$function$;

comment on function queue._document_problems(jsonb) is
$comment$Finds what makes it impossible to run a document, without a checker: its shape, edges without ends, and cycles.
Returns an array of problems, as of _problem(); null instead of an empty array.$comment$;
