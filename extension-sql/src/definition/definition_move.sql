create or replace function queue.definition_move(
  name    text,
  layout  jsonb,
  version integer default null
)
returns void
language plpgsql
volatile
security definer
as $function$
declare
  v_bytes         constant integer := octet_length(layout::text);
  v_definition_id bigint;
begin
  perform queue._ensure_migrated();
  if jsonb_typeof(layout) is distinct from 'object' then
    perform queue._raise('OX004', format('the layout is a JSON %s, not an object', coalesce(jsonb_typeof(layout), 'null')),
      null, 'Pass {"nodes": {"id": [x, y]}}.');
  end if;
  if (v_bytes <= 1048576) is not true then
    perform queue._raise('OX008', format('layout of definition "%s" has %s bytes', name, v_bytes), null,
      'A layout has at most 1048576 bytes.');
  end if;

  select d.definition_id into v_definition_id
  from queue.definition as d
  where d.name = definition_move.name
  for key share;
  if not found then
    perform queue._raise_definition_not_found(name);
  end if;
  if version is not null then
    perform queue._find_document(name, version);
  end if;
  insert into queue.definition_layout as l (definition_id, moved_at, version, layout)
  values (v_definition_id, clock_timestamp(), coalesce(definition_move.version, 0), definition_move.layout)
  on conflict on constraint definition_layout_pkey do update
  set moved_at = excluded.moved_at,
    layout = excluded.layout;
end
$function$;

comment on function queue.definition_move(text, jsonb, integer) is
$comment$Stores the positions of nodes, which belong to no document: neither the revision nor a version changes, and the last call wins.
layout: {"nodes": {"<id>": [x, y]}, "notes": ...}.
version: the version that it shows; null means the draft, whose layout is copied by definition_publish().
Errors: OX004 invalid argument, OX008 layout too large, OX012 no such definition or version.
Touches: queue.definition_layout; a shared lock on the row of queue.definition.$comment$;
