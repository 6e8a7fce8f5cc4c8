create or replace function queue._send_moved_events(
  pool      text,
  published timestamptz[],
  messages  jsonb[],
  headers   jsonb[]
)
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_forwarded record;
begin
  -- Most pools are left by no definition: then events aren't matched once more. A definition that was archived between
  -- two pools isn't known as having left the first one, but events for one of its triggers name it.
  if not exists (select from queue.definition_former_pool as f where f.pool = _send_moved_events.pool)
    and not exists (select from unnest(headers) as h where h ? 'only') then
    return;
  end if;
  for v_forwarded in
    with events as materialized (
      select i.position, i.published_at, i.message,
        i.headers || jsonb_build_object('published_at', i.published_at) as headers,
        i.headers -> 'only' as directed
      from unnest(published, messages, headers) with ordinality as i (published_at, message, headers, position)
    ),
    wanted as (
      select t.pool, e.position, e.message, e.headers
      from events as e
      join queue.definition as d on d.name = e.directed ->> 'definition'
      join queue.definition_trigger as t
        on t.definition_id = d.definition_id
        and t.name = e.directed ->> 'trigger'
      where t.pool <> _send_moved_events.pool
      union all
      select w.pool, e.position, e.message,
        e.headers || jsonb_build_object('pools', coalesce(e.headers -> 'pools', '[]') || to_jsonb(w.pool))
      from events as e
      cross join lateral (
        select distinct s.target as pool
        from unnest(queue._subscriptions_for(e.headers ->> 'topic', e.message)) as i (subscription_id)
        join queue.subscription as s using (subscription_id)
        where s.target_type = 'definition'
          and s.target <> _send_moved_events.pool
          and not coalesce(e.headers -> 'pools', '[]') ? s.target
      ) as w
      where e.directed is null
        and exists (
          select
          from queue.definition_former_pool as f
          where f.pool = _send_moved_events.pool
            -- A publish may have found the subscription of this pool, and not yet the new one.
            and f.left_at >= e.published_at - interval '10 minutes'
        )
    )
    select w.pool, array_agg(w.message order by w.position) as messages, array_agg(w.headers order by w.position) as headers
    from wanted as w
    group by w.pool
    order by w.pool
  loop
    perform queue._send_messages(queue._trigger_queue(v_forwarded.pool), v_forwarded.messages, '0', v_forwarded.headers);
  end loop;
end
$function$;

comment on function queue._send_moved_events(text, timestamptz[], jsonb[], jsonb[]) is
$comment$Sends events that reached the workers of a pool for definitions that have moved to another one to the pools of these. A publish or a recheck that was in progress during the move did not see it. An event keeps its identity, so it starts one run a trigger, whatever reaches the new pool as well.
published, messages, headers: of the events.
Touches: as send_batch(), queues __tr_<pool> in the order of their pools; reads queue.definition_former_pool, queue.definition_trigger, queue.subscription.$comment$;
