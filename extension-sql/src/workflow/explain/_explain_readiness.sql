create or replace function queue._explain_readiness(name text, version integer, ready_since timestamptz)
returns queue.workflow_explanation
language plpgsql
stable
as $function$
declare
  v_versions integer[];
  v_pool     text;
  v_found    queue.workflow_explanation;
begin
  select array_agg(v.version order by v.version) into v_versions
  from queue.workflow_version as v
  where v.workflow_name = _explain_readiness.name;

  v_found.since := ready_since;
  v_pool := (
    select substr(p.name, 7)
    from queue.queue as q
    join queue.queue as p on p.queue_id = q.pool_id
    where q.name = '__wf_' || _explain_readiness.name
  );
  if v_pool is not null then
    v_found.details := jsonb_build_object('version', version, 'pool', v_pool);
    v_found.cause := 'ready';
    v_found.summary := format('The run is ready, and no worker has received it: the workers of pool "%s" are busy, or no worker is running.', v_pool);
    v_found.remedy := 'Check that a worker of this pool is running and connected to this database, or start more workers.';
    return v_found;
  end if;
  v_found.details := jsonb_build_object('version', version, 'registered', coalesce(to_jsonb(v_versions), '[]'));
  if version is null then
    v_found.cause := 'no_worker';
    v_found.summary := format('No worker has ever served workflow "%s".', name);
    v_found.remedy := 'Start a worker that serves it. The run takes its version.';
  elsif version = any (v_versions) then
    v_found.cause := 'ready';
    v_found.summary := format('The run is ready, and no worker has received it: the workers of version %s of workflow "%s" are busy, or no worker is running.',
      version, name);
    v_found.remedy := 'Check that such a worker is running and connected to this database, or start more workers.';
  else
    v_found.cause := 'no_worker';
    v_found.summary := format('No worker has ever served version %s of workflow "%s"; %s.', version, name,
      case cardinality(v_versions)
        when 1 then format('workers have served version %s', v_versions[1])
        else coalesce('workers have served versions ' || array_to_string(v_versions, ', '), 'no worker has served this workflow')
      end);
    v_found.remedy := format('Start a worker that serves version %s%s.', version,
      case when v_versions is null then '' else ', or rerun the run with another version' end);
  end if;
  return v_found;
end
$function$;

comment on function queue._explain_readiness(text, integer, timestamptz) is
$comment$Explains why no worker has received a run that is ready.
version: null if the first registration decides it.
ready_since: when it became ready.
Returns the explanation, without run_id.
Touches: nothing; reads queue.workflow_version and queue.queue.$comment$;
