create or replace function queue.workflow_set_flow_control(name text, settings jsonb, version integer default 1)
returns text
language plpgsql
volatile
security definer
as $function$
declare
  v_settings constant jsonb := jsonb_strip_nulls(coalesce(nullif(settings, 'null'), '{}'));
  v_queue_id integer;
  v_pool_id  integer;
  v_before   jsonb;
begin
  perform queue._ensure_migrated();
  perform queue._check_flow_settings(v_settings);
  perform queue._check_start(array[version], null, null, null, null, null);
  v_queue_id := coalesce(queue._workflow_queue_id(name), queue._create_workflow_queue(name));

  perform pg_advisory_xact_lock(hashtextextended('oxbow:admit:' || v_queue_id, 0));
  select q.flow_control, q.pool_id into v_before, v_pool_id from queue.queue as q where q.queue_id = v_queue_id;
  if v_before -> 'version' > to_jsonb(version) then
    return 'kept';
  elsif v_before - 'version' = v_settings or v_before is null and v_settings = '{}' then
    if v_before -> 'version' < to_jsonb(version) then
      update queue.queue as q
      set flow_control = v_settings || jsonb_build_object('version', version)
      where q.queue_id = v_queue_id;
    end if;
    return 'unchanged';
  end if;

  update queue.queue as q
  set flow_control = v_settings || jsonb_build_object('version', version)
  where q.queue_id = v_queue_id;
  perform queue._mark_pool_limited(v_pool_id);
  perform queue._refresh_admissions(v_queue_id, v_before, v_settings);
  perform queue._adopt_runs(v_queue_id, v_settings);
  perform queue._recount_admissions(v_queue_id);
  perform queue._wake(queue._worker_channel(name));
  perform queue._record_action('workflow.set_flow_control', 'workflow', array[name],
    jsonb_build_object('version', version, 'settings', v_settings, 'settings_before', v_before - 'version'));
  return case when v_before is null then 'created' else 'changed' end;
end
$function$;

comment on function queue.workflow_set_flow_control(text, jsonb, integer) is
$comment$Limits how many runs of a workflow are in flight, how fast they begin, and in which order. The limits apply to every run, including existing ones: those in flight are counted and continue even if there are too many, the others wait for their turn. Keys and priorities of existing runs follow their paths, unless starts have passed them. Workers register the settings of the workflows that they serve when they start.
settings: a JSON object with any of the following keys; null removes all limits.
- concurrency: runs in flight, from their first delivery until they end, also while they sleep or wait.
- concurrency_per_key: the same for each key. With 1, runs with the same key execute one after another in the order of their starts.
- rate_limit: {"limit", "per_seconds", "burst"}: how many runs begin in that time, evenly spaced. After a pause, burst runs begin at once; the default is a tenth of a second's worth, at least 1.
- rate_limit_per_key: the same for each key.
- debounce: {"seconds", "max_seconds"}: a run begins after this many seconds without another start with the same key; until then, each such start replaces the input, the deadline and the priority of the waiting run instead of creating a run. The run waits for at most max_seconds.
- key: path into the input, keys separated by ".". A run without a value there is not limited per key.
- priority: path to a number in the input, higher first; or true, if starts pass the priority.
version: of the workflow that has these settings. An older version than the one that made the last change changes nothing.
Returns created, changed, unchanged, or kept, if a newer version has set the current settings.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: queue.queue, queue.workflow_admission, queue.workflow_gate; queue.workflow_continuation of the workflow's runs, if it had no such limits before: workers that give these runs back wait until the transaction ends; queue.audit.$comment$;
