create or replace function queue._check_flow_settings(settings jsonb)
returns void
language plpgsql
stable
as $function$
declare
  v_problem text;
begin
  if jsonb_typeof(settings) is distinct from 'object' then
    perform queue._raise('OX004', 'flow control is not a JSON object', null,
      'Pass an object such as {"concurrency": 10}, or null for no flow control.');
  end if;

  select
    case
      when s.name not in (
        'key', 'concurrency', 'concurrency_per_key', 'rate_limit', 'rate_limit_per_key', 'debounce', 'priority'
      ) then
        format('unknown setting "%s": the settings are key, concurrency, concurrency_per_key, rate_limit, rate_limit_per_key, debounce and priority',
          left(s.name, 40))
      when s.name = 'priority' and s.value <> 'true' and not queue._is_message_path(s.value) then
        'invalid priority: it is a path into the input, keys separated by ".", or true if starts pass it'
      when s.name = 'key' and not queue._is_message_path(s.value) then
        'invalid key: it is a path into the input, keys separated by "."'
      when s.name in ('concurrency', 'concurrency_per_key') and not queue._is_number(s.value, 1, 1000000, true) then
        format('invalid %s %s: it is a whole number from 1 to 1000000', s.name, left(s.value::text, 40))
      when s.name in ('rate_limit', 'rate_limit_per_key') and not coalesce(
        jsonb_typeof(s.value) = 'object'
          and s.value - '{limit,per_seconds,burst}'::text[] = '{}'
          and queue._is_number(s.value -> 'limit', 1, 1000000, true)
          and queue._is_number(s.value -> 'per_seconds', 0.001, 31536000, false)
          and queue._is_number(coalesce(s.value -> 'burst', '1'), 1, 1000000, true),
        false
      ) then
        format('invalid %s %s: it is {"limit": 1 to 1000000, "per_seconds": 0.001 to 31536000, "burst": optional, 1 to 1000000}',
          s.name, left(s.value::text, 80))
      when s.name = 'debounce' and not coalesce(
        jsonb_typeof(s.value) = 'object'
          and s.value - '{seconds,max_seconds}'::text[] = '{}'
          and queue._is_number(s.value -> 'seconds', 0.001, 31536000, false)
          and queue._is_number(coalesce(s.value -> 'max_seconds', s.value -> 'seconds'), 0.001, 31536000, false)
          and coalesce((s.value -> 'max_seconds')::numeric, 31536000) >= (s.value -> 'seconds')::numeric,
        false
      ) then
        format('invalid debounce %s: it is {"seconds": 0.001 to 31536000, "max_seconds": optional, at least as much}',
          left(s.value::text, 80))
    end
  into v_problem
  from jsonb_each(settings) as s (name, value)
  order by 1
  limit 1;
  if v_problem is null and settings ?| '{concurrency_per_key,rate_limit_per_key,debounce}' and not settings ? 'key' then
    v_problem := 'limits per key require a key, which is a path into the input';
  end if;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null, 'Correct the flow control. Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_flow_settings(jsonb) is
$comment$Checks the settings of workflow_set_flow_control().
Errors: OX004 invalid argument, with the first invalid value.$comment$;
