create or replace function queue.workflow_register(
  names            text[],
  versions         integer[],
  retention_days   integer[] default null,
  deadline_seconds numeric[] default null,
  on_failure       text[] default null,
  input_schemas    json[] default null
)
returns integer
language plpgsql
volatile
security definer
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_message text;
  v_taken   text;
  v_first   text[];
  v_changed integer;
begin
  perform queue._ensure_migrated();
  if cardinality(names) is distinct from cardinality(versions) then
    perform queue._raise('OX004', format('%s names, but %s versions', cardinality(names), cardinality(versions)), null,
      'Pass one version per name.');
  end if;
  select c.message into v_message
  from unnest(
    names, versions, workflow_register.retention_days, deadline_seconds, workflow_register.on_failure, input_schemas
  ) as i (name, version, days, seconds, on_failure, input_schema)
  cross join lateral (
    select case
      when i.name is null or i.version is null then 'a workflow without a name or a version'
      when i.version < 1 then format('invalid version %s of workflow "%s": a version is 1 or more', i.version, i.name)
      when i.days not between 0 and 36500 then
        format('invalid retention of %s days of workflow "%s": it is between 0 and 36500', i.days, i.name)
      when i.seconds not between 0.001 and 3153600000 then
        format('invalid deadline of %s seconds of workflow "%s": it is between 0.001 and 3153600000', i.seconds, i.name)
      when i.on_failure = i.name then format('workflow "%s" cannot handle its own failures', i.name)
      when json_typeof(i.input_schema) <> 'object' or octet_length(i.input_schema::text) > 65536 then
        format('invalid input schema of workflow "%s": it is a JSON object of at most 65536 bytes', i.name)
    end
  ) as c (message)
  where c.message is not null
  limit 1;
  if found then
    perform queue._raise('OX004', v_message, null, 'Correct the definition and register it again. Nothing was written.');
  end if;

  perform queue._refuse_reserved_workflow(h.name) from unnest(workflow_register.on_failure) as h (name);
  perform queue._create_workflow_queue(n.name)
  from (
    select distinct u.name
    from unnest(names || workflow_register.on_failure) as u (name)
    where u.name is not null
    order by u.name
  ) as n
  where queue._workflow_queue_id(n.name) is null;

  -- After the queues, whose creation waits for a definition that is created at the same time.
  v_taken := (select d.name from queue.definition as d where d.name = any (names) order by d.name limit 1);
  if v_taken is not null then
    perform queue._raise('OX016', format('"%s" is the name of a definition', v_taken), null,
      'Rename the workflow in code, or delete the definition. Workers serve definitions by createDefinitions().');
  end if;

  v_first := array(
    select distinct i.name
    from unnest(names) as i (name)
    where not exists (select from queue.workflow_version as w where w.workflow_name = i.name)
    order by i.name
  );
  if v_first <> '{}' then
    -- Waits for starts that have found no version; _await_registration() waits for this.
    update queue.queue as q
    set created_at = q.created_at
    from (
      select o.queue_id
      from queue.queue as o
      where o.name = any (array(select '__wf_' || f.name from unnest(v_first) as f (name)))
      order by o.name
      for no key update
    ) as locked
    where q.queue_id = locked.queue_id;
  end if;

  -- Usually nothing has changed, and nothing is written.
  insert into queue.workflow_version as v (
    registered_at, version, retention_days, deadline, workflow_name, on_failure, input_schema
  )
  select distinct on (i.name, i.version)
    v_now, i.version, i.days, make_interval(secs => i.seconds::double precision), i.name, i.on_failure,
    i.input_schema
  from unnest(
    names, versions, workflow_register.retention_days, deadline_seconds, workflow_register.on_failure, input_schemas
  ) as i (name, version, days, seconds, on_failure, input_schema)
  where not exists (
    select
    from queue.workflow_version as w
    where w.workflow_name = i.name
      and w.version = i.version
      and (w.retention_days, w.deadline, w.on_failure)
        is not distinct from (i.days, make_interval(secs => i.seconds::double precision), i.on_failure)
      and (i.input_schema is null or w.input_schema::text = i.input_schema::text)
  )
  -- Always in this order, so that two workers that start at the same time don't deadlock.
  order by i.name, i.version
  on conflict on constraint workflow_version_pkey do update
  set registered_at = excluded.registered_at,
    retention_days = excluded.retention_days,
    deadline = excluded.deadline,
    on_failure = excluded.on_failure,
    -- A worker of an earlier release knows no schema, and serves the same version.
    input_schema = coalesce(excluded.input_schema, v.input_schema);
  get diagnostics v_changed = row_count;
  if v_first <> '{}' then
    perform queue._adopt_undecided_runs(v_first);
  end if;
  return v_changed;
end
$function$;

comment on function queue.workflow_register(text[], integer[], integer[], numeric[], text[], json[]) is
$comment$Registers versions of workflows with the defaults for their runs; workers do this when they start. A start that names no version uses the highest registered one. The first registration of a workflow also decides the version and the defaults of the runs that were started by name before, and that no worker has received.
names, versions, retention_days, deadline_seconds, on_failure, input_schemas: parallel arrays with one element per version; a default that is null or missing is that of the database.
retention_days: how long ended runs are kept.
deadline_seconds: how long after its start a run fails.
on_failure: workflow to start for each run that fails, with the input {"runId", "workflow", "version", "input", "error"}. A definition is not started while it is archived.
input_schemas: JSON Schema of the input, an object of at most 65536 bytes, from which forms are made. It checks nothing. Null keeps the one that is registered.
Returns how many versions are new or have changed.
Errors: OX003 invalid name, OX004 invalid argument, OX016 a definition has the name.
Touches: queue.workflow_version; queue.queue of new workflows; at their first registration, as _adopt_undecided_runs().$comment$;
