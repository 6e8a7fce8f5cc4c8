create or replace function queue._decide_matches(
  pool      text,
  receipts  bigint[],
  published timestamptz[],
  messages  jsonb[],
  headers   jsonb[],
  matches   jsonb
)
returns queue.trigger_decision[]
language plpgsql
stable
-- plans: index, nested loop
as $function$
begin
  return array(
    -- Once an event, however many triggers it matched.
    with events as materialized (
      select i.receipt, i.published_at, i.message, (i.headers ->> 'event_id')::bigint as event_id,
        coalesce((i.headers ->> 'depth')::integer, 0) as depth, coalesce((i.headers ->> 'ends')::integer, 0) as ends,
        i.headers ->> 'topic' as topic, i.headers ? 'only' as is_directed,
        coalesce((i.headers #>> '{only,recheck}')::boolean, false) as is_recheck,
        (
          select jsonb_object_agg(h.key, h.value)
          from jsonb_each(i.headers) as h
          where h.key in ('traceparent', 'tracestate')
        ) as trace
      from unnest(receipts, published, messages, headers) as i (receipt, published_at, message, headers)
    )
    -- A definition that has moved may get two messages of an event at once: see _move_events() and _send_moved_events().
    select distinct on (d.definition_id, e.event_id, t.name) row(
        e.event_id, d.definition_id, d.name, t.version, t.name,
        case
          -- A recheck, as others are left out.
          when not f.passes then 'withdrawn'
          -- Another version was published since the event was received: its guard decides.
          when m.version <> t.version then case when e.is_recheck then 'delayed' else 'again' end
          when m.outcome in ('failed', 'withdrawn') then m.outcome
          when d.paused_at is not null then 'paused'
          when m.delay > 0 and m.recheck and not e.is_recheck then 'delayed'
          else 'start'
        end,
        m.error, m.input, m.once_key,
        case
          -- A worker that keeps an old guard must not keep the event in a circle at full speed.
          when m.version <> t.version then e.is_directed::integer
          when e.is_recheck then 0
          else coalesce(m.delay, 0)
        end,
        e.depth + 1, e.ends + starts_with(e.topic, 'oxbow.run.')::integer, e.trace, null
      )::queue.trigger_decision
    from (
      select (m.value ->> 'receipt')::bigint as receipt, m.value ->> 'definition' as definition,
        (m.value ->> 'version')::integer as version, m.value ->> 'trigger' as name, m.value ->> 'outcome' as outcome,
        left(m.value ->> 'error', 2000) as error, m.value -> 'input' as input, m.value ->> 'onceKey' as once_key,
        (m.value ->> 'delaySeconds')::numeric as delay, coalesce((m.value ->> 'recheck')::boolean, false) as recheck
      from jsonb_array_elements(matches) as m (value)
    ) as m
    join events as e on e.receipt = m.receipt
    join queue.definition as d
      on d.name = m.definition
      and d.published_version is not null
    join queue.definition_trigger as t
      on t.definition_id = d.definition_id
      and t.name = m.name
      -- Workers of the pool that it has left know its old guard: see _send_moved_events().
      and t.pool = _decide_matches.pool
    -- The scope of the definition may have changed since the event was sent or received.
    cross join lateral (
      select coalesce(t.filter <> 'false' and e.message @> t.filter, true) as passes
    ) as f
    -- An earlier delivery of the event may have settled the match.
    left join queue.trigger_match as k
      on k.event_id = e.event_id
      and k.definition_id = d.definition_id
      and k.name = t.name
      and (k.outcome in ('started', 'once', 'withdrawn') or k.outcome = 'delayed' and not e.is_recheck)
    where k.event_id is null
      and (e.is_directed or t.listening_since <= e.published_at)
      -- A version may have given the trigger another topic.
      and case when t.pattern = e.topic then true else queue._topic_matches(t.pattern, e.topic) end
      and case when e.ends > 0 then not queue._multiplies(t.pattern, e.topic, e.ends) else true end
      and (f.passes or e.is_recheck)
    order by d.definition_id, e.event_id, t.name, m.outcome = 'failed'
  );
end
$function$;

comment on function queue._decide_matches(text, bigint[], timestamptz[], jsonb[], jsonb[], jsonb) is
$comment$Decides what becomes of the triggers that events matched, but for once_for. Definitions and triggers that no longer exist, belong to another pool, or whose filter the message does not pass any more are left out, and so are matches that an earlier delivery of the event has settled. A recheck that does not pass the filter is withdrawn. A match of another version than the one in force becomes again, or delayed if it is a recheck: the event is delivered again.
pool: of the workers that report.
receipts, published, messages, headers: of the events. matches: as in trigger_commit().
Returns one decision for each event and trigger.
Touches: nothing; reads queue.definition, queue.definition_trigger, queue.trigger_match.$comment$;
