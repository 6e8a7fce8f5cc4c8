create or replace function queue.workflow_set_flow_control(name text, settings jsonb, version integer default 1)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_settings constant jsonb := jsonb_strip_nulls(coalesce(nullif(settings, 'null'), '{}'));
  v_queue_id integer;
  v_before   jsonb;
begin
  perform queue._ensure_migrated();
  perform queue._check_flow_settings(v_settings);
  perform queue._check_start(array[version], null, null, null, null, null);
  v_queue_id := coalesce(queue._workflow_queue_id(name), queue._create_workflow_queue(name));

  perform pg_advisory_xact_lock(hashtextextended('oxbow:admit:' || v_queue_id, 0));
  select q.flow_control into v_before from queue.queue as q where q.queue_id = v_queue_id;
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
  perform queue._adopt_runs(v_queue_id, v_settings);
  perform queue._recount_admissions(v_queue_id);
  perform queue._wake(queue._workflow_channel(name));
  return case when v_before is null then 'created' else 'changed' end;
end
$function$;

comment on function queue.workflow_set_flow_control(text, jsonb, integer) is
$comment$Says how many runs of a workflow are in flight at the same time, how fast they begin, and in which order: of all runs that are started from then on, by whomever, and of those that are there. Of these, those in flight are counted (all go on, even where they are too many), the others wait for their turn. Workers say it for the workflows that they serve.
settings: an object; null is none. concurrency: how many runs are in flight, from their first delivery until they end, asleep or not. concurrency_per_key: the same, of each key; with 1, the runs of a key are one after the other in the order of their starts. rate_limit: {"limit", "per_seconds", "burst"}, how many begin in which time, evenly spread, but burst at once after a silence (default: what falls into a tenth of a second, at least 1); rate_limit_per_key: the same, of each key. debounce: {"seconds", "max_seconds"}: a run begins after so many seconds without another start of the same key; until then a start gives it its input instead of starting another one; max_seconds: but it waits no longer than that. key: path into the input, keys split by "."; a run with nothing there is in no one's way. priority: path to a number in the input, the higher goes first; or true, where starts tell it. version: of the workflow that says so: one that is older than who said it last changes nothing.
Returns created, changed, unchanged, or kept, where a newer version has said it.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: queue.queue, queue.workflow_admission, queue.workflow_gate; continuations of the workflow, where it had no such limits before: workers wait for the end of the transaction to give them back.$comment$;
