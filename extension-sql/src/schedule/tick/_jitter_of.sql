create or replace function queue._jitter_of(name text, jitter interval)
returns interval
language plpgsql
immutable
parallel safe
as $function$
begin
  return date_trunc('milliseconds', _jitter_of.jitter * ((hashtextextended(_jitter_of.name, 0) & 1048575) / 1048576.0)::double precision);
end
$function$;

comment on function queue._jitter_of(text, interval) is
$comment$Returns by how much the ticks of a schedule are delayed. The delay is the same for all of its ticks, so schedules are spread and the time between two ticks stays exact.
jitter: the maximum.$comment$;
