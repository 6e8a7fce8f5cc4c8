create or replace function queue.definition_migrate(
  name     text,
  run_id   bigint,
  version  integer,
  compared jsonb default null
)
returns text
language plpgsql
volatile
security definer
as $function$
declare
  v_run     record;
  v_current record;
  v_wakes   boolean;
begin
  perform queue._ensure_migrated();
  perform queue._find_document(name, version);
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  -- The lock on its continuation is the lock on a run: no worker receives or commits it in the meantime.
  -- A suspect that was set aside has a receipt, but no worker holds it.
  select m.receipt is not null and m.visible_at > clock_timestamp()
      and (m.suspect_at is null or m.suspect_at = 'infinity')
      and (m.visible_at = queue._paused_until(m.headers)) is not true as is_leased,
    m.message, queue._has_begun(m.receipt, m.settled_receipt, m.message) as has_begun
  into v_current
  from queue.workflow_continuation as m
  where m.msg_id = definition_migrate.run_id
  for no key update;
  select r.workflow_name, r.workflow_version, r.status::text as status, r.is_test, r.is_item, r.parent_run_id into v_run
  from queue.workflow_run as r
  where r.run_id = definition_migrate.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_run.workflow_name is distinct from name then
    perform queue._raise('OX005', format('run %s is of "%s", not of "%s"', run_id, v_run.workflow_name, name), null,
      'Give the name of its definition.');
  end if;
  if v_run.is_test is true then
    perform queue._raise('OX004', format('run %s is a test', run_id), null, 'Start another test of the other document.');
  end if;
  if v_run.is_item is true then
    perform queue._raise('OX004', concat(
        format('run %s is an item of a loop', run_id), ' of run ' || v_run.parent_run_id
      ), null,
      'Migrate the run that has the loop: items that it starts later have its version.');
  end if;
  if v_run.workflow_version = version then
    return 'unchanged';
  end if;
  if v_run.status <> 'running' or v_current is null then
    return 'ended';
  end if;
  if v_current.is_leased then
    return 'executing';
  end if;
  if compared is not null and compared <> jsonb_build_object(
    'version', v_run.workflow_version,
    'rows', (select count(*) from queue.workflow_step as s where s.run_id = definition_migrate.run_id),
    'pending', queue._pending_steps(run_id, v_current.message)
  ) then
    return 'advanced';
  end if;

  update queue.workflow_run as r
  set workflow_version = definition_migrate.version
  where r.run_id = definition_migrate.run_id;
  -- A start that is delayed keeps its time, and a run that flow control holds back, a retried one too, its turn.
  v_wakes := v_current.has_begun and not exists (
    select
    from queue.workflow_admission as a
    where a.run_id = definition_migrate.run_id
      and (a.state <> 'admitted' or a.is_again)
  );
  -- A worker whose lease has expired loses it, and the new version begins with whatever it can do.
  update queue.workflow_continuation as m
  set receipt = case when m.receipt is not null then queue._new_receipt(m.msg_id, m.receipt) end,
    visible_at = case when v_wakes and (m.headers ? 'paused') is not true then clock_timestamp() else m.visible_at end,
    headers = case
      when v_wakes and m.headers #> '{paused,due}' is not null then queue._due_after_pause(m.headers, clock_timestamp())
      else m.headers
    end,
    -- The deaths of its workers were those of the other version.
    read_ct = least(m.read_ct, 1),
    restarts = null,
    suspect_at = null,
    deaths = null
  where m.msg_id = definition_migrate.run_id;
  perform queue._wake(queue._worker_channel(name));
  perform queue._record_action('run.migrate', 'run', array[run_id::text],
    jsonb_build_object('definition', name, 'from', v_run.workflow_version, 'to', version));
  return 'migrated';
end
$function$;

comment on function queue.definition_migrate(text, bigint, integer, jsonb) is
$comment$Moves a run in progress to another version of its definition, in the caller's transaction. Its next delivery replays the journal with the document of that version. It is delivered immediately, unless its start is delayed, it is paused, or flow control holds it back. A run whose journal the new version does not repeat would fail there: the SDK and servers compare both before, by replaying the run.
compared: the state of the run that was compared, {"version", "rows", "pending"}: its version, the number of its journal rows, and the sorted names of the steps that it waits for or retries. Null moves it without a comparison.
Returns migrated; unchanged, if the run has that version; executing, if a worker holds its lease; advanced, if it has changed since the comparison; ended.
Errors: OX004 the run is a test, OX005 the definition has no such run, OX012 no such definition or version.
Touches: queue.workflow_run, queue.workflow_continuation, queue.audit; reads queue.workflow_step, queue.workflow_admission, queue.definition, queue.definition_version.$comment$;
