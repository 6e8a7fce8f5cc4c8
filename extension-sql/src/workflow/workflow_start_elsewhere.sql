create or replace function queue.workflow_start_elsewhere(
  route            text,
  name             text,
  input            jsonb default null,
  version          integer default null,
  idempotency_key  text default null,
  retention_days   integer default null,
  delay_seconds    numeric default 0,
  deadline         timestamptz default null,
  tags             jsonb default null,
  on_running       text default 'use-existing',
  on_ended         text default 'use-existing',
  flow_key         text default null,
  priority         integer default null,
  trace            jsonb default null,
  start_at         timestamptz default null,
  deadline_seconds numeric default null
)
returns queue.started_run
language plpgsql
volatile
security definer
as $function$
declare
  v_target smallint;
begin
  perform queue._migrate_if_older();
  perform queue._check_routes(array[route], array[idempotency_key]);
  perform queue._lock_homes(array[route]);
  v_target := queue._other_home(route);
  if v_target is null then
    return queue.workflow_start(
      workflow_start_elsewhere.name, input, version, idempotency_key, retention_days, delay_seconds, deadline, tags,
      on_running, on_ended, flow_key, priority, trace, start_at, deadline_seconds, route
    );
  end if;

  -- An error here reaches the client.
  perform queue._check_workflow_name(workflow_start_elsewhere.name);
  perform queue._refuse_reserved_workflow(workflow_start_elsewhere.name);
  perform queue._check_start(
    array[version], array[idempotency_key], array[retention_days], array[delay_seconds], array[on_running],
    array[on_ended], array[deadline_seconds]
  );
  if (on_running = 'fail') is true then
    perform queue._raise('OX004', format('the run starts in another shard, where route "%s" is at home, and on_running is fail', route),
      null, 'The client would not see that failure: leave it at use-existing, or start the run in its shard.');
  end if;
  perform queue._send_item(
    v_target, 'start', null,
    -- Members of values may be null.
    jsonb_strip_nulls(jsonb_build_object(
      'workflow', workflow_start_elsewhere.name, 'route', route, 'version', version, 'key', idempotency_key,
      'retentionDays', retention_days, 'delaySeconds', nullif(delay_seconds, 0), 'deadline', deadline,
      'onRunning', on_running, 'onEnded', on_ended, 'flowKey', flow_key, 'priority', priority, 'startAt', start_at,
      'deadlineSeconds', deadline_seconds, 'starters', queue._acting_starters()
    ))
      || case when input is null then '{}' else jsonb_build_object('input', input) end
      || case when tags is null then '{}' else jsonb_build_object('tags', tags) end
      || case when trace is null then '{}' else jsonb_build_object('trace', trace) end
  );
  return null;
end
$function$;

comment on function queue.workflow_start_elsewhere(text, text, jsonb, integer, text, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric) is
$comment$Starts a run where its route is at home: here as workflow_start() does, or in another shard, once, soon after the commit of the caller's transaction. There, a key that is taken leads to the run that has it.
route: what the run belongs with, such as a tenant, as in workflow_start().
delay_seconds, deadline_seconds: of a run in another shard count from its start there. on_running fail is for a run here.
name, input, version, idempotency_key, retention_days, deadline, tags, on_running, on_ended, flow_key, priority, trace, start_at: as in workflow_start().
Returns the run as workflow_start() does; null if it starts in another shard, which gives it its id.
Errors: OX003 invalid or reserved name, OX004 invalid argument or setting oxbow.actor; if it starts here, those of workflow_start(). An error that the other shard finds, such as an unknown version of a definition, rejects the item: see outbox_rejected().
Touches: as workflow_start() and _lock_homes(); queue.outbox for a run of another shard.$comment$;
