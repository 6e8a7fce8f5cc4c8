create or replace function queue._every_seconds(every jsonb)
returns integer
language plpgsql
immutable
parallel safe
as $function$
declare
  v_parts   text[];
  v_seconds numeric;
begin
  if every is null then
    return null;
  end if;
  v_parts := regexp_match(lower(every #>> '{}'), '^\s*([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*(ms|s|m|h|d|w)?\s*$');
  if jsonb_typeof(every) = 'number' and v_parts[2] is null then
    v_seconds := v_parts[1]::numeric / 1000;
  elsif v_parts[2] is not null then
    v_seconds := v_parts[1]::numeric * case v_parts[2]
      when 'ms' then 0.001
      when 's' then 1
      when 'm' then 60
      when 'h' then 3600
      when 'd' then 86400
      else 604800
    end;
  end if;
  if (v_seconds = trunc(v_seconds) and v_seconds between 1 and 315360000) is not true then
    perform queue._raise('OX004', format('invalid interval "%s" of a schedule', left(every #>> '{}', 100)), null,
      'An interval is whole seconds between 1 second and 10 years, such as "30s", "15m", "1h" or "1d".');
  end if;
  return v_seconds::integer;
end
$function$;

comment on function queue._every_seconds(jsonb) is
$comment$Reads the interval of a trigger on a schedule: milliseconds, or text with a unit.
Returns seconds; null for null.
Errors: OX004 invalid interval.$comment$;
