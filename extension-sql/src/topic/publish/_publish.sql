create or replace function queue._publish(topic text, message jsonb, headers jsonb, subscriptions bigint[])
returns integer
language plpgsql
volatile
as $function$
declare
  -- An event that Oxbow publishes about a run must not stop the run.
  v_is_own   constant boolean := starts_with(topic, 'oxbow.');
  v_headers  constant jsonb := coalesce(headers, '{}') || jsonb_build_object('topic', topic);
  v_target   record;
  v_event_id bigint;
  v_failures jsonb := jsonb_build_array();
  v_reached  integer := 0;
begin
  for v_target in
    select s.target_type, s.target,
      array_agg(s.target) filter (where s.target_type = 'definition') over () as pools,
      array_agg(s.subscription_id order by s.subscription_id) filter (where d.problem is null) as ids,
      array_agg(s.options order by s.subscription_id) filter (where d.problem is null) as options,
      array_agg(d.input order by s.subscription_id) filter (where d.problem is null) as inputs,
      array_agg(d.key order by s.subscription_id) filter (where d.problem is null) as keys,
      jsonb_agg(
        jsonb_build_object(
          'subscription_id', s.subscription_id, 'target_type', s.target_type, 'target', s.target,
          'reason', d.problem,
          'strict', s.disabled_at is null
            and not v_is_own
            and coalesce((s.options -> 'strict')::boolean, false)
        )
        order by s.subscription_id
      ) filter (where d.problem is not null) as failures
    from queue.subscription as s
    cross join lateral queue._map_message(s.options, message) as m
    cross join lateral (
      select m.input, m.key, case
          when s.disabled_at is null then coalesce(m.problem, case when s.options ? 'version' then queue._version_problem(s.target, s.options) end)
          else format('the subscription is disabled: %s', s.disabled_reason)
        end as problem
    ) as d
    where s.subscription_id = any (subscriptions)
    group by s.target_type, s.target
    order by s.target_type, s.target
  loop
    v_failures := v_failures || coalesce(v_target.failures, '[]');
    continue when v_target.ids is null;
    case v_target.target_type
      when 'queue' then
        perform queue._publish_to_queue(v_target.target, topic, message, v_headers, v_target.keys, v_target.options);
      when 'http' then
        perform queue._publish_to_url(v_target.target, message, v_headers, v_target.ids, v_target.keys, v_target.options);
      when 'run' then
        -- Not a signal yet: a signal locks the run, in an order that a publish cannot keep.
        insert into queue.workflow_inbox (run_id, event, payload)
        select v_target.target::bigint, queue._letter_event(s.subscription_id), _publish.message
        from unnest(v_target.ids) as s (subscription_id);
        perform queue._wake_workflows(array[v_target.target::bigint]);
      when 'workflow' then
        if v_is_own then
          begin
            perform queue._publish_to_workflow(v_target.target, v_target.inputs, v_target.keys, v_target.options, v_headers);
          exception
            when others then
              if queue._is_rejection(sqlstate) is not true then
                raise;
              end if;
              v_failures := v_failures || (
                select jsonb_agg(jsonb_build_object(
                  'subscription_id', i.id, 'target_type', v_target.target_type, 'target', v_target.target,
                  'reason', sqlerrm, 'strict', false
                ))
                from unnest(v_target.ids) as i (id)
              );
              continue;
          end;
        else
          perform queue._publish_to_workflow(v_target.target, v_target.inputs, v_target.keys, v_target.options, v_headers);
        end if;
      when 'definition' then
        v_event_id := queue._publish_to_definitions(
          v_target.target, topic, message,
          -- These headers direct and date an event: a publisher's must not.
          v_headers - array['only', 'pools', 'published_at']
            -- One pool knows that it is the only one.
            || case when cardinality(v_target.pools) > 1 then jsonb_build_object('pools', v_target.pools) else '{}' end,
          v_event_id
        );
    end case;
    v_reached := v_reached + cardinality(v_target.ids);
  end loop;

  if v_failures <> '[]' then
    perform queue._send_topic_dead_letters(topic, message, v_headers, v_failures);
  end if;
  return v_reached;
end
$function$;

comment on function queue._publish(text, jsonb, jsonb, bigint[]) is
$comment$Delivers a message of a topic to subscriptions. For disabled ones it becomes a dead letter, and on a topic of Oxbow also for those of a workflow whose start fails.
Targets are taken in the order of their names, so that two publishers that wait for groups of FIFO queues don't deadlock.
Returns how many subscriptions it reached.
Errors: OX004 a strict subscription cannot take the message, unless the topic is one of Oxbow.
Touches: reads queue.subscription; as _version_problem(); then as send_topic().$comment$;
