create or replace function queue._judge_start(
  name     text,
  versions integer[],
  out problem         text,
  out state           text,
  out unknown_version integer
)
language plpgsql
stable
-- plans: index
as $function$
declare
  v_definition_id bigint;
begin
  select d.definition_id, d.state into v_definition_id, state
  from queue.definition as d
  where d.name = _judge_start.name;
  if not found then
    return;
  elsif state in ('draft', 'archived') then
    problem := 'inactive';
    return;
  elsif versions is null then
    return;
  end if;
  select i.version into unknown_version
  from unnest(versions) as i (version)
  where i.version is not null
    and not exists (
      select
      from queue.definition_version as v
      where v.definition_id = v_definition_id
        and v.version = i.version
    )
  limit 1;
  if unknown_version is not null then
    problem := 'unknown version';
  end if;
end
$function$;

comment on function queue._judge_start(text, integer[]) is
$comment$Decides whether a definition may be started by the name of its workflow. A name that no definition has may be.
versions: that the starts name; null elements, or null, mean the published one.
Returns the problem: inactive, with the state of the definition, or unknown version, with the version; null without a problem.
Touches: nothing; reads queue.definition, queue.definition_version.$comment$;
