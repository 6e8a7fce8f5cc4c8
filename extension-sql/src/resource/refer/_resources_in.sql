create or replace function queue._resources_in(document jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
as $function$
begin
  if position('resource' in document::text) = 0 then
    return jsonb_build_array();
  end if;
  return (
    with recursive part as (
      select '' as pointer, document as value
      union all
      select p.pointer || '/' || c.key, c.value
      from part as p
      cross join lateral (
        select replace(replace(m.key, '~', '~0'), '/', '~1') as key, m.value
        from jsonb_each(case when jsonb_typeof(p.value) = 'object' and not p.value ?| array['$resource', '$literal'] then p.value else '{}' end)
          as m (key, value)
        union all
        select (i.position - 1)::text, i.value
        from jsonb_array_elements(case jsonb_typeof(p.value) when 'array' then p.value else '[]' end)
          with ordinality as i (value, position)
      ) as c
      -- A document is large, and names few resources.
      where position('resource' in c.value::text) > 0
    ), named as (
      select p.pointer, p.value #>> '{$resource,type}' as type, p.value #>> '{$resource,id}' as id
      from part as p
      where jsonb_typeof(p.value) = 'object'
        and p.value ? '$resource'
      union all
      select p.pointer, m.match[2], m.match[4]
      from part as p
      cross join lateral regexp_matches(
        p.value #>> '{}', $pattern$\mresource\(\s*(['"])(.*?)\1\s*,\s*(['"])(.*?)\3\s*\)$pattern$, 'g'
      ) as m (match)
      where jsonb_typeof(p.value) = 'string'
        and p.pointer like '/triggers/%'
    )
    select coalesce(jsonb_agg(jsonb_build_object('type', n.type, 'id', n.id, 'pointer', n.pointer)), '[]')
    from (select n.type, n.id, n.pointer from named as n where queue._is_name(n.type) and queue._is_name(n.id) limit 10000) as n
  );
end
$function$;

comment on function queue._resources_in(jsonb) is
$comment$Finds the resources that a document names, without the checker: in $resource bindings, and in resource() of the expressions of its triggers. The document need not be complete.
Returns an array of {"type", "id", "pointer"}.$comment$;
