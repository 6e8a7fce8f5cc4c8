create or replace function queue._problem(code text, pointer text, message text, hint text)
returns jsonb
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select jsonb_strip_nulls(jsonb_build_object(
    'code', code,
    'severity', 'error',
    'node', substring(pointer from '^/nodes/([^/]+)'),
    'pointer', pointer,
    'message', message,
    'hint', hint
  ))
$function$;

comment on function queue._problem(text, text, text, text) is
$comment$Returns a problem of a document, in the form in which the checker reports it.
pointer: JSON Pointer to the part of the document that has the problem.$comment$;
