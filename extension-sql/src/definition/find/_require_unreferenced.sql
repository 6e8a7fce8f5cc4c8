create or replace function queue._require_unreferenced(name text)
returns void
language plpgsql
volatile
as $function$
declare
  v_users jsonb;
begin
  -- Starts share a lock on the definition until they commit. To wait for them would hold up all publishing.
  perform
  from queue.definition as d
  where d.name = _require_unreferenced.name
  for update skip locked;
  if not found then
    perform queue._raise('OX014', format('definition "%s" is used by a transaction that is still open', name), null,
      'Delete it once that has ended, unless it has started a run.');
  end if;
  if queue._has_runs(name) is not false then
    perform queue._raise('OX014', format('definition "%s" has runs', name), null,
      'Archive it instead: it then starts no more. It can be deleted once the retention of its last run has ended.');
  end if;
  select jsonb_agg(u.kind || ' "' || u.name || '"' order by u.kind, u.name)
  into v_users
  from (
    select 'definition' as kind, d.name
    from queue.definition as d
    join queue.definition_version as v
      on v.definition_id = d.definition_id
      and v.state = 'published'
    where v.compiled #> '{references,workflows}' ? _require_unreferenced.name
      and d.name <> _require_unreferenced.name
    union all
    select 'schedule', s.name
    from queue.schedule as s
    where s.workflow_name = _require_unreferenced.name
      and s.definition_id is null
    union all
    select 'subscription', s.pattern
    from queue.subscription as s
    where s.target_type = 'workflow'
      and s.target = _require_unreferenced.name
  ) as u;
  if v_users is not null then
    perform queue._raise('OX014', format('definition "%s" is started by %s', name, v_users ->> 0),
      jsonb_build_object('users', v_users)::text, 'Change what starts it first.');
  end if;
end
$function$;

comment on function queue._require_unreferenced(text) is
$comment$Requires a definition that has no runs and that nothing starts, and locks it so that it stays like this until the transaction ends. The caller has locked it against other changes.
Errors: OX014 the definition is in use, with its users in the detail.
Touches: queue.definition (SKIP LOCKED); reads queue.workflow_run, queue.workflow_continuation, queue.definition_version, queue.schedule, queue.subscription.$comment$;
