create or replace function queue._trigger_filter(scope jsonb, prefilter jsonb, loaded text[])
returns jsonb
language plpgsql
immutable
parallel safe
as $function$
declare
  v_filter      jsonb := coalesce(scope, '{}');
  v_requirement record;
  v_nested      jsonb;
  v_member      text;
begin
  for v_requirement in
    select array(select jsonb_array_elements_text(r.value -> 'path')) as path, r.value -> 'value' as value
    from jsonb_array_elements(prefilter) as r (value)
  loop
    continue when v_requirement.path[1] = any (loaded);
    v_nested := v_requirement.value;
    for v_level in reverse cardinality(v_requirement.path) .. 1 loop
      v_member := v_requirement.path[v_level];
      v_nested := jsonb_build_object(v_member, v_nested);
    end loop;
    v_filter := queue._merge_filters(v_filter, v_nested);
    if v_filter is null then
      return to_jsonb(false);
    end if;
  end loop;
  return nullif(v_filter, '{}');
end
$function$;

comment on function queue._trigger_filter(jsonb, jsonb, text[]) is
$comment$Makes the filter of a trigger: what a message must contain for the guard to hold.
scope: of the definition. prefilter: as the checker derived it from the guard: [{"path": [...], "value": ...}].
loaded: members that workers replace, by which messages can't be filtered.
Returns the filter; null if all messages may match, JSON false if no message can.$comment$;
