create or replace function queue._triggers_of(definition_id bigint, version integer)
returns setof queue.trigger_spec
language plpgsql
stable
as $function$
begin
  return query
    select t.name, k.kind,
      case k.kind
        when 'topic' then coalesce(y.topic, t.spec ->> 'on')
        when 'run.ended' then format('oxbow.run.%s.%s', coalesce(c.workflow, '*'), coalesce(c.status, '*'))
        -- No publish reaches these: their events are for one trigger.
        when 'schedule' then format('oxbow.schedule.%s.%s', d.name, t.name)
        when 'webhook' then format('oxbow.hook.%s.%s', d.name, t.name)
      end,
      case when k.kind in ('topic', 'run.ended') then
        queue._trigger_filter(d.scope, coalesce(c.prefilter, '[]'), coalesce(y.loaded, '{}'))
      end,
      t.spec
    from queue.definition as d
    join queue.definition_version as v on v.definition_id = d.definition_id
    cross join lateral jsonb_each(
      case jsonb_typeof(v.document -> 'triggers') when 'object' then v.document -> 'triggers' else '{}' end
    ) as t (name, spec)
    cross join lateral (
      select case
          when t.spec ->> 'on' in ('run.ended', 'webhook', 'schedule', 'manual') then t.spec ->> 'on'
          else 'topic'
        end as kind
    ) as k
    left join lateral (
      select i.value -> 'prefilter' as prefilter,
        jsonb_path_query_first(i.value, '$.prefilter[*] ? (@.path[0] == "workflow" && @.path.size() == 1).value') #>> '{}'
          as workflow,
        jsonb_path_query_first(i.value, '$.prefilter[*] ? (@.path[0] == "status" && @.path.size() == 1).value') #>> '{}'
          as status
      from jsonb_array_elements(v.compiled -> 'triggers') as i
      where i.value ->> 'id' = t.name
    ) as c on true
    left join queue.trigger_type as y
      on y.pool = d.pool
      and y.name = t.spec ->> 'on'
    where d.definition_id = _triggers_of.definition_id
      and v.version = _triggers_of.version
    order by t.name;
end
$function$;

comment on function queue._triggers_of(bigint, integer) is
$comment$Reads the triggers of a version, with the messages that each wants at present: the name of a trigger type stands for its topic, and run.ended for that of the ends of runs. Events of a schedule or a webhook have a topic each.
Returns one row per trigger.
Touches: nothing; reads queue.definition_version, queue.trigger_type.$comment$;
