create or replace function queue._flow_limits(settings jsonb)
returns queue.flow_limits
language plpgsql
immutable
parallel safe
as $function$
declare
  v_limits queue.flow_limits;
begin
  v_limits.key_path := settings ->> 'key';
  v_limits.priority_path := settings ->> 'priority';
  v_limits.concurrency := (settings ->> 'concurrency')::integer;
  v_limits.key_concurrency := (settings ->> 'concurrency_per_key')::integer;
  v_limits.spacing := queue._rate_spacing(settings -> 'rate_limit');
  v_limits.burst := queue._rate_burst(settings -> 'rate_limit');
  v_limits.key_spacing := queue._rate_spacing(settings -> 'rate_limit_per_key');
  v_limits.key_burst := queue._rate_burst(settings -> 'rate_limit_per_key');
  v_limits.debounce := make_interval(secs => (settings #>> '{debounce,seconds}')::double precision);
  v_limits.debounce_limit := make_interval(secs => (settings #>> '{debounce,max_seconds}')::double precision);
  return v_limits;
end
$function$;

comment on function queue._flow_limits(jsonb) is
$comment$Parses the settings of workflow_set_flow_control(), which are already checked.
Returns the limits; all null without settings.$comment$;
