create or replace function queue._check_items(
  run_ids         bigint[],
  held            boolean[],
  effect_items    integer[],
  effect_kinds    text[],
  effect_steps    text[],
  effect_targets  text[],
  effect_versions integer[]
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_message text;
begin
  select format('step "%s" of run %s starts an item of "%s" in version %s, but the run is one of "%s" in version %s',
      e.step, r.run_id, e.target, coalesce(e.version::text, 'null'), r.workflow_name, r.workflow_version)
  into v_message
  from unnest(effect_items, effect_kinds, effect_steps, effect_targets, effect_versions)
    as e (item, kind, step, target, version)
  join queue.workflow_run as r on r.run_id = run_ids[e.item]
  where e.kind = 'item'
    and held[e.item]
    and (e.target <> r.workflow_name or e.version is distinct from r.workflow_version)
  limit 1;
  if found then
    perform queue._raise('OX004', v_message, null,
      'An item is a part of its run. Invoke a run of another workflow or version with the effect invoke.');
  end if;
end
$function$;

comment on function queue._check_items(bigint[], boolean[], integer[], text[], text[], text[], integer[]) is
$comment$Checks that items of loops are started in the workflow and the version of their run, so that no other definition starts in its middle.
held: by position, which leases are locked. effect_...: as in workflow_commit().
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run.$comment$;
