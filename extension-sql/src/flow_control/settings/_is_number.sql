create or replace function queue._is_number(value jsonb, at_least numeric, at_most numeric, is_whole boolean)
returns boolean
language plpgsql
immutable
parallel safe
as $function$
begin
  if jsonb_typeof(value) is distinct from 'number' then
    return false;
  end if;
  return value::numeric between at_least and at_most
    and (not is_whole or value::numeric = trunc(value::numeric));
end
$function$;

comment on function queue._is_number(jsonb, numeric, numeric, boolean) is
$comment$Returns whether a JSON value is a number within bounds.$comment$;
