create or replace function queue._require_published(name text, versions integer[])
returns void
language plpgsql
volatile
as $function$
declare
  v_judged record;
begin
  perform queue._lock_definition_shared(name);
  v_judged := queue._judge_start(name, versions);
  if (v_judged.problem = 'inactive') is true then
    perform queue._raise_definition_inactive(name, v_judged.state);
  elsif v_judged.problem is not null then
    perform queue._raise_definition_not_found(name, v_judged.unknown_version);
  end if;
end
$function$;

comment on function queue._require_published(text, integer[]) is
$comment$Requires that a definition may be started by the name of its workflow, and locks it as _lock_definition_shared(). A name that no definition has may be.
versions: that the starts name; null elements, or null, mean the published one.
Errors: OX012 no such version, OX017 it is archived or was never published.
Touches: as _lock_definition_shared(); reads queue.definition, queue.definition_version.$comment$;
