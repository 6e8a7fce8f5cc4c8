create or replace function queue._version_problem(target text, options jsonb)
returns text
language plpgsql
stable
as $function$
declare
  v_refusal jsonb;
begin
  v_refusal := queue._start_refusal(target, (options -> 'version')::integer);
  return case v_refusal ->> 'code' when 'DEFINITION_NOT_FOUND' then v_refusal ->> 'message' end;
end
$function$;

comment on function queue._version_problem(text, jsonb) is
$comment$Returns why a subscription cannot start the version that its options name.
target, options: of a subscription that names a version, as only those of workflows do.
Returns null if the definition has the version, if it is archived, which starts nothing, and for workflows in code.
Touches: nothing; as _start_refusal().$comment$;
