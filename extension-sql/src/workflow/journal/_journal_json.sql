create or replace function queue._journal_json(
  step_name text,
  kind      text,
  attempts  integer,
  output    jsonb,
  error     jsonb,
  decisions jsonb
)
returns jsonb
language sql
as $function$
  select case
    when decisions is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'decisions', decisions)
        operator(pg_catalog.||) case
          when output is not null then pg_catalog.jsonb_build_object('output', output)
          when error is not null then pg_catalog.jsonb_build_object('error', error)
          else '{}'
        end
    when output is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'output', output)
    when error is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'error', error)
    else pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts)
  end
$function$;

comment on function queue._journal_json(text, text, integer, jsonb, jsonb, jsonb) is
$comment$Converts a journal row to the form that a replay reads; output, error and decisions are absent if they are null.
Returns a JSON object.
Touches: nothing.$comment$;
