create or replace function queue._lease_interval(lease_seconds numeric)
returns interval
language plpgsql
immutable
parallel safe
as $function$
begin
  if (lease_seconds > 0 and lease_seconds <= 43200) is not true then
    perform queue._raise('OX004', format('invalid lease of %s seconds', coalesce(lease_seconds::text, 'null')), null,
      'A lease is longer than 0 and at most 43200 seconds (12 hours).');
  end if;
  return make_interval(secs => lease_seconds::double precision);
end
$function$;

comment on function queue._lease_interval(numeric) is
$comment$Checks the length of a lease and converts it.
Returns the interval.
Errors: OX004 invalid argument.$comment$;
