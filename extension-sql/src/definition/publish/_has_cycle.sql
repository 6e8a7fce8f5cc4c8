create or replace function queue._has_cycle(edges jsonb)
returns boolean
language plpgsql
immutable
parallel safe
as $function$
declare
  v_from text[];
  v_to   text[];
  v_left integer;
begin
  select array_agg(e.edge ->> 'from'), array_agg(e.edge ->> 'to')
  into v_from, v_to
  from jsonb_array_elements(edges) as e (edge);

  -- An edge on a cycle has one before it and one after it. An edge that is left in the end has both.
  loop
    v_left := cardinality(v_from);
    exit when v_left is null;
    select array_agg(e.source), array_agg(e.target)
    into v_from, v_to
    from unnest(v_from, v_to) as e (source, target)
    where e.source in (select u.target from unnest(v_to) as u (target))
      and e.target in (select u.source from unnest(v_from) as u (source));
    exit when cardinality(v_from) is not distinct from v_left;
  end loop;
  return v_left is not null;
end
$function$;

comment on function queue._has_cycle(jsonb) is
$comment$Returns whether edges form a cycle.
edges: of a document; null for no edges.$comment$;
