create or replace function queue._workflow_channel(name text)
returns text
language sql
as $function$
  select 'queue___wf_' operator(pg_catalog.||) name
$function$;

comment on function queue._workflow_channel(text) is
$comment$Returns the channel on which workers of a workflow listen. Inlined where it is used.
Returns the channel's name; null if the name is null.
Touches: nothing.$comment$;
