create or replace function queue._merge_filters(one jsonb, other jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
as $function$
declare
  v_merged jsonb := one;
  v_member record;
  v_value  jsonb;
begin
  if jsonb_typeof(one) <> 'object' or jsonb_typeof(other) <> 'object' then
    return case when one = other then one end;
  end if;
  for v_member in select m.key, m.value from jsonb_each(other) as m loop
    v_value := case
      when v_merged ? v_member.key then queue._merge_filters(v_merged -> v_member.key, v_member.value)
      else v_member.value
    end;
    if v_value is null then
      return null;
    end if;
    v_merged := v_merged || jsonb_build_object(v_member.key, v_value);
  end loop;
  return v_merged;
end
$function$;

comment on function queue._merge_filters(jsonb, jsonb) is
$comment$Combines two filters into the one that takes what both take.
Returns null if they contradict each other.$comment$;
