create or replace function queue._journal_json(
  step_name text,
  kind      text,
  attempts  integer,
  output    jsonb,
  error     jsonb
)
returns jsonb
language sql
as $function$
  select case
    when output is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'output', output)
    when error is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'error', error)
    else pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts)
  end
$function$;

comment on function queue._journal_json(text, text, integer, jsonb, jsonb) is
$comment$Converts a journal row to the form that a replay reads; output and error are absent if they are null.
Returns a JSON object.
Touches: nothing.$comment$;
