create or replace function queue._rate_room(filled_at timestamptz, spacing interval, burst integer, moment timestamptz)
returns integer
language plpgsql
immutable
parallel safe
as $function$
begin
  if spacing is null then
    return 2147483647;
  elsif filled_at is null or filled_at <= moment then
    return burst;
  end if;
  -- The clock has microseconds: tolerate a thousandth of a run.
  return greatest(0, floor(burst - extract(epoch from filled_at - moment) / extract(epoch from spacing) + 0.001))::integer;
end
$function$;

comment on function queue._rate_room(timestamptz, interval, integer, timestamptz) is
$comment$Returns how many runs a rate allows to begin.
filled_at: of the gate; null before the first run.
moment: the current time.
Returns a number; the maximum integer without a rate.$comment$;
