create or replace function queue._accept_start(body jsonb)
returns void
language plpgsql
volatile
as $function$
declare
  v_started queue.started_run;
begin
  -- Such an error is no rejection: see _is_rejection().
  if (body ->> 'onRunning' = 'fail') is true then
    perform queue._raise('OX004', 'a start by an item has on_running fail', null, 'Leave it at use-existing.');
  end if;
  v_started := queue.workflow_start(
    body ->> 'workflow',
    body -> 'input',
    (body ->> 'version')::integer,
    body ->> 'key',
    (body ->> 'retentionDays')::integer,
    coalesce((body ->> 'delaySeconds')::numeric, 0),
    (body ->> 'deadline')::timestamptz,
    body -> 'tags',
    coalesce(body ->> 'onRunning', 'use-existing'),
    coalesce(body ->> 'onEnded', 'use-existing'),
    body ->> 'flowKey',
    (body ->> 'priority')::integer,
    body -> 'trace',
    (body ->> 'startAt')::timestamptz,
    (body ->> 'deadlineSeconds')::numeric,
    body ->> 'route',
    coalesce((body ->> 'followsKey')::boolean, false)
  );
  if v_started.created then
    perform queue._record_starters(
      array[v_started.run_id], array(select jsonb_array_elements_text(body -> 'starters'))
    );
  end if;
end
$function$;

comment on function queue._accept_start(jsonb) is
$comment$Starts a run for a transaction of another shard.
body: as workflow_start_elsewhere() writes it.
Errors: those of workflow_start().
Touches: as workflow_start(); queue.workflow_starter.$comment$;
