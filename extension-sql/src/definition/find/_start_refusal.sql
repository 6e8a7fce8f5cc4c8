create or replace function queue._start_refusal(name text, version integer default null)
returns jsonb
language plpgsql
stable
as $function$
declare
  v_judged record;
begin
  if starts_with(name, 'oxbow-resources-') then
    return jsonb_build_object(
      'name', 'InvalidName',
      'code', 'INVALID_NAME',
      'message', format('workflow name "%s" is reserved for lists of resources', name)
    );
  end if;
  v_judged := queue._judge_start(name, array[version]);
  if v_judged.problem = 'inactive' then
    return jsonb_build_object(
      'name', 'DefinitionInactive',
      'code', 'DEFINITION_INACTIVE',
      'message', queue._inactivity(name, v_judged.state)
    );
  elsif v_judged.problem = 'unknown version' then
    return jsonb_build_object(
      'name', 'DefinitionNotFound',
      'code', 'DEFINITION_NOT_FOUND',
      'message', format('definition "%s" has no version %s', name, v_judged.unknown_version)
    );
  end if;
  return null;
end
$function$;

comment on function queue._start_refusal(text, integer) is
$comment$Returns why a definition or a reserved name can't be started, as the error of a run.
version: null means the published one.
Returns null if it can be, or if it is the name of a workflow in code.
Touches: nothing; as _judge_start().$comment$;
