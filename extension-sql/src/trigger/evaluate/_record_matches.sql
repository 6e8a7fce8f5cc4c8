create or replace function queue._record_matches(decisions queue.trigger_decision[])
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  -- Sizes by event, not as stored: what is compressed there is sent as text.
  v_sizes constant jsonb := (
    select jsonb_object_agg(e.event_id, octet_length(e.message::text))
    from queue.trigger_event as e
    where e.event_id = any (array(
      select distinct d.event_id
      from unnest(decisions) as d
      where d.outcome in ('delayed', 'again')
    ))
  );
  -- A cursor, since a loop over a query reads up to 50 rows ahead.
  v_parts cursor for
    select s.pool, s.delay, array_agg(s.message order by s.position) as messages,
      array_agg(s.headers order by s.position) as headers
    from (
      select t.pool, make_interval(secs => d.delay_seconds::double precision) as delay, d.ordinality as position, e.message,
        e.headers || jsonb_build_object(
          'event_id', e.event_id,
          'depth', e.depth,
          'only',
            jsonb_build_object('definition', d.workflow_name, 'trigger', d.name)
            || case when d.outcome = 'delayed' then '{"recheck": true}' else '{}'::jsonb end
        ) as headers,
        -- A large event, once for each of its triggers, would not fit into the memory of a session.
        sum((v_sizes ->> e.event_id::text)::integer) over (order by d.ordinality) / 4194304 as part
      from unnest(decisions) with ordinality as d
      join queue.trigger_event as e on e.event_id = d.event_id
      -- The definition may have left the pool of this worker.
      join queue.definition_trigger as t
        on t.definition_id = d.definition_id
        and t.name = d.name
      where d.outcome in ('delayed', 'again')
    ) as s
    group by s.pool, s.delay, s.part
    order by s.pool, s.part, s.delay;
begin
  for v_delayed in v_parts loop
    perform queue._send_messages(
      queue._trigger_queue(v_delayed.pool), v_delayed.messages, v_delayed.delay, v_delayed.headers
    );
  end loop;
  update queue.trigger_event as e
  set expires_at = greatest(e.expires_at, d.due_at + interval '7 days')
  from (
    select d.event_id, max(v_now + make_interval(secs => d.delay_seconds::double precision)) as due_at
    from unnest(decisions) as d
    where d.outcome = 'delayed'
    group by d.event_id
  ) as d
  where e.event_id = d.event_id;

  insert into queue.trigger_match as m (
    event_id, definition_id, run_id, due_at, version, name, outcome, error, once_key
  )
  select d.event_id, d.definition_id,
    coalesce(d.run_id, (
      select o.run_id
      from queue.definition_once as o
      where d.outcome = 'once'
        and o.definition_id = d.definition_id
        and o.key_hash = sha256(convert_to(d.once_key, 'UTF8'))
    )),
    case when d.outcome = 'delayed' then v_now + make_interval(secs => d.delay_seconds::double precision) end,
    d.version, d.name, case d.outcome when 'start' then 'started' else d.outcome end, d.error, d.once_key
  from unnest(decisions) as d
  where d.outcome <> 'again'
  order by d.event_id, d.definition_id, d.name
  on conflict on constraint trigger_match_pkey do update
  set run_id = excluded.run_id,
    due_at = coalesce(excluded.due_at, m.due_at),
    version = excluded.version,
    outcome = excluded.outcome,
    error = excluded.error,
    once_key = coalesce(excluded.once_key, m.once_key);
end
$function$;

comment on function queue._record_matches(queue.trigger_decision[]) is
$comment$Records what became of the triggers that events matched, and sends an event again if one of its triggers is decided later.
Touches: queue.trigger_match, queue.trigger_event; as send_batch(), queues __tr_<pool> of their definitions; reads queue.definition_trigger.$comment$;
