create or replace function queue._gate_opens_at(
  key        text,
  filled_at  timestamptz,
  limits     queue.flow_limits,
  moment     timestamptz,
  is_awaited boolean
)
returns timestamptz
language plpgsql
immutable
parallel safe
as $function$
declare
  v_spacing constant interval := case when key = '' then (limits).spacing else (limits).key_spacing end;
  v_burst   constant integer := case when key = '' then (limits).burst else (limits).key_burst end;
begin
  if filled_at <= moment or v_spacing is null then
    return null;
  elsif is_awaited and queue._rate_room(filled_at, v_spacing, v_burst, moment) = 0 then
    return filled_at - v_spacing * (v_burst - 1);
  end if;
  -- The gate of a key, which then stores nothing but the rate, is deleted after that time, with all those of ten seconds:
  -- each time wakes the idle workers.
  return case when key <> '' then date_bin('10 seconds', filled_at, 'epoch') + interval '10 seconds' end;
end
$function$;

comment on function queue._gate_opens_at(text, timestamptz, queue.flow_limits, timestamptz, boolean) is
$comment$Returns when to look at a gate again even if nothing else happens.
key, filled_at: of the gate.
moment: the current time.
is_awaited: runs may wait for the gate, and begin as soon as it opens.
Returns a time; null if only another event can open the gate.$comment$;
