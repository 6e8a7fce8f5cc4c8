create or replace function queue._trim_numbers(value jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
as $function$
begin
  return case jsonb_typeof(value)
    when 'number' then to_jsonb(trim_scale(value::numeric))
    when 'array' then (
      select coalesce(jsonb_agg(queue._trim_numbers(e.value) order by e.position), '[]')
      from jsonb_array_elements(value) with ordinality as e (value, position)
    )
    when 'object' then (
      select coalesce(jsonb_object_agg(e.key, queue._trim_numbers(e.value)), '{}')
      from jsonb_each(value) as e (key, value)
    )
    else value
  end;
end
$function$;

comment on function queue._trim_numbers(jsonb) is
$comment$Writes numbers without zeros at the end: 1.0 as 1. Values that are equal as jsonb have the same text then.
Returns the value; null for null.$comment$;
