create or replace function queue._run_filter(filter jsonb)
returns queue.run_filter
language plpgsql
stable
as $function$
declare
  v_known  constant text[] := array[
    'name', 'version', 'status', 'paused', 'started_after', 'started_before', 'completed_after', 'completed_before',
    'tags', 'input', 'error_code', 'idempotency_key', 'activity', 'parent', 'error_text', 'test'
  ];
  v_given  jsonb := coalesce(_run_filter.filter, '{}');
  v_key    text;
  v_filter queue.run_filter;
begin
  if jsonb_typeof(v_given) is distinct from 'object' then
    perform queue._raise('OX004', format('filter is not a JSON object: %s', left(v_given::text, 40)), null,
      'Pass an object such as {"name": "onboard-user", "status": ["failed"]}.');
  end if;
  select k into v_key
  from jsonb_object_keys(v_given) as k
  where k <> all (v_known)
  limit 1;
  if found then
    perform queue._raise('OX004', format('unknown key "%s" in a filter', left(v_key, 40)), null,
      format('The keys of a filter are %s.', array_to_string(v_known, ', ')));
  end if;
  if jsonb_typeof(v_given -> 'status') = 'string' then
    v_given := jsonb_set(v_given, '{status}', jsonb_build_array(v_given -> 'status'));
  end if;
  if jsonb_typeof(v_given -> 'activity') = 'string' then
    v_given := jsonb_set(v_given, '{activity}', jsonb_build_array(v_given -> 'activity'));
  end if;

  begin
    v_filter := jsonb_populate_record(null::queue.run_filter, v_given);
  exception when data_exception then
    perform queue._raise('OX004', format('invalid value in a filter: %s', sqlerrm), null,
      'Dates are ISO 8601 text, version is a number, status and activity are lists, parent is a run id, tags and input are objects.');
  end;

  if ((v_filter).status <@ array['running', 'completed', 'failed', 'cancelled']) is false then
    perform queue._raise('OX004', format('unknown status in %s', v_given -> 'status'), null,
      'A status is running, completed, failed or cancelled.');
  end if;
  if ((v_filter).activity <@ array[
    'queued', 'ready', 'executing', 'sleeping', 'waiting', 'retrying', 'delayed', 'pausing', 'paused'
  ]) is false then
    perform queue._raise('OX004', format('unknown activity in %s', v_given -> 'activity'), null,
      'An activity is queued, ready, executing, sleeping, waiting, retrying, delayed, pausing or paused.');
  end if;
  if ((v_filter).error_text = '') is true then
    perform queue._raise('OX004', 'error_text of a filter is empty', null,
      'Pass a part of the message, or leave error_text out.');
  end if;
  return v_filter;
end
$function$;

comment on function queue._run_filter(jsonb) is
$comment$Parses a filter of runs and rejects unknown keys.
filter: an object with attributes of queue.run_filter; status and activity are one or a list. Null means {}, which matches all runs.
Returns the filter.
Errors: OX004 invalid argument, with the key or value.$comment$;
