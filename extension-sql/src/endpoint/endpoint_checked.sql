create or replace function queue.endpoint_checked(
  endpoint_id     bigint,
  serves          jsonb,
  max_duration_ms integer default null,
  sdk_version     text default null
)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_wrong text;
begin
  perform queue._ensure_migrated();
  if jsonb_typeof(serves) is distinct from 'object' then
    perform queue._raise('OX004', format('serves is %s', coalesce('a JSON ' || jsonb_typeof(serves), 'null')), null,
      'Pass the versions by workflow: {"<name>": [<version>, ...]}.');
  end if;
  select s.key
  into v_wrong
  from jsonb_each(serves) as s (key, versions)
  where case
    when jsonb_typeof(s.versions) = 'array' then exists (
      select
      from jsonb_array_elements(s.versions) as v (version)
      where queue._is_number(v.version, 1, 2147483647, true) is not true
    )
    else true
  end
  order by s.key
  limit 1;
  if found then
    perform queue._raise('OX004', format('invalid versions of workflow "%s": %s', left(v_wrong, 100), left((serves -> v_wrong)::text, 100)), null,
      'Versions are a list of integers from 1 to 2147483647.');
  end if;
  if (max_duration_ms <= 0) is true then
    perform queue._raise('OX004', format('invalid max_duration_ms %s', max_duration_ms), null,
      'Pass how many milliseconds a request may take, or null if it is unknown.');
  end if;
  update queue.endpoint as e
  set serves = endpoint_checked.serves,
    max_duration_ms = endpoint_checked.max_duration_ms,
    sdk_version = left(endpoint_checked.sdk_version, 40),
    checked_at = v_now,
    last_error = null,
    check_at = queue._next_check_at(e.check_at, v_now, interval '1 hour')
  where e.endpoint_id = endpoint_checked.endpoint_id;
  return found;
end
$function$;

comment on function queue.endpoint_checked(bigint, jsonb, integer, text) is
$comment$For servers: records what an endpoint serves. It is checked again after an hour; at once if that was asked for during the check.
serves: versions by workflow: {"<name>": [<version>, ...]}.
max_duration_ms: how long one of its requests may take; null if unknown.
sdk_version: of its SDK, for people.
Returns true; false if the endpoint was removed.
Errors: OX004 invalid argument.
Touches: queue.endpoint.$comment$;
