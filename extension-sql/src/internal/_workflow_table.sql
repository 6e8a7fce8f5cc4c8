create or replace function queue._workflow_table(name text)
returns regclass
language sql
as $function$
  select pg_catalog.to_regclass(pg_catalog.format('queue.%I', 'q___wf_' || name))
$function$;

comment on function queue._workflow_table(text) is
$comment$The table of a workflow's continuations.
Returns null when no run of the workflow was ever started.
Touches: nothing.$comment$;
