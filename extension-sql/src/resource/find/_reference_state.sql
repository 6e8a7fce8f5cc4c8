create or replace function queue._reference_state(owner_type text, owner_id text, version integer)
returns text
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_state    text;
  v_queue_id integer;
begin
  if owner_type <> 'definition' then
    return 'current';
  end if;
  if version = 0 then
    return 'draft';
  end if;
  select v.state into v_state
  from queue.definition as d
  join queue.definition_version as v
    on v.definition_id = d.definition_id
    and v.version = _reference_state.version
  where d.name = owner_id;
  if v_state <> 'archived' then
    return v_state;
  end if;
  v_queue_id := queue._workflow_queue_id(owner_id);
  return case when exists (
    select
    from queue.workflow_continuation as m
    where m.queue_id = v_queue_id
      and m.version = _reference_state.version
  ) or exists (
    select
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where m.workflow_queue_id = v_queue_id
      and r.workflow_version = _reference_state.version
  ) then 'archived' end;
end
$function$;

comment on function queue._reference_state(text, text, integer) is
$comment$Decides whether references of an owner count.
version: as in queue.resource_reference.
Returns draft, published, archived if the version has runs in progress, or current for an owner without versions; null if they do not count.
Touches: nothing; reads queue.definition, queue.definition_version, queue.workflow_continuation, queue.workflow_run.$comment$;
