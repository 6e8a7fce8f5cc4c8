create or replace function queue._duration(seconds numeric, meaning text)
returns interval
language plpgsql
immutable
parallel safe
as $function$
begin
  -- NaN is greater than any number.
  if (_duration.seconds between 0 and 3153600000) is not true then
    perform queue._raise('OX004', format('invalid %s of %s seconds', meaning, coalesce(seconds::text, 'null')), null,
      format('A %s is between 0 and 3153600000 seconds (100 years).', meaning));
  end if;
  return make_interval(secs => _duration.seconds::double precision);
end
$function$;

comment on function queue._duration(numeric, text) is
$comment$Checks a number of seconds and converts it.
meaning: the kind of duration, for the error.
Returns the interval, to the microsecond.
Errors: OX004 invalid argument.$comment$;
