create or replace function queue._due_after_pause(headers jsonb, due timestamptz)
returns jsonb
language sql
as $function$
  select case
    when headers operator(pg_catalog.?) 'paused' then pg_catalog.jsonb_set(headers, '{paused,due}', pg_catalog.to_jsonb(due))
    else headers
  end
$function$;

comment on function queue._due_after_pause(jsonb, timestamptz) is
$comment$Records in the headers of a continuation, if it is paused, when it would resume without the pause.
Returns the headers.
Touches: nothing.$comment$;
