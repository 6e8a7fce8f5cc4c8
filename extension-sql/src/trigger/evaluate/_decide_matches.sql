create or replace function queue._decide_matches(
  receipts     bigint[],
  published    timestamptz[],
  headers      jsonb[],
  matches      jsonb
)
returns queue.trigger_decision[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index, nested loop
as $function$
begin
  return array(
    select row(
        e.event_id, d.definition_id, d.name, m.version, t.name,
        case
          when m.outcome in ('failed', 'withdrawn') then m.outcome
          when d.paused_at is not null then 'paused'
          when m.delay > 0 and m.recheck and not e.is_recheck then 'delayed'
          else 'start'
        end,
        m.error, m.input, m.once_key, case when e.is_recheck then 0 else coalesce(m.delay, 0) end,
        e.depth + 1, e.ends + starts_with(e.topic, 'oxbow.run.')::integer, e.trace, null
      )::queue.trigger_decision
    from (
      select (m.value ->> 'receipt')::bigint as receipt, m.value ->> 'definition' as definition,
        (m.value ->> 'version')::integer as version, m.value ->> 'trigger' as name, m.value ->> 'outcome' as outcome,
        left(m.value ->> 'error', 2000) as error, m.value -> 'input' as input, m.value ->> 'onceKey' as once_key,
        (m.value ->> 'delaySeconds')::numeric as delay, coalesce((m.value ->> 'recheck')::boolean, false) as recheck
      from jsonb_array_elements(matches) as m (value)
    ) as m
    join (
      select i.receipt, i.published_at, (i.headers ->> 'event_id')::bigint as event_id,
        coalesce((i.headers ->> 'depth')::integer, 0) as depth, coalesce((i.headers ->> 'ends')::integer, 0) as ends,
        i.headers ->> 'topic' as topic, i.headers ? 'only' as is_directed,
        coalesce((i.headers #>> '{only,recheck}')::boolean, false) as is_recheck,
        (
          select jsonb_object_agg(h.key, h.value)
          from jsonb_each(i.headers) as h
          where h.key in ('traceparent', 'tracestate')
        ) as trace
      from unnest(receipts, published, headers) as i (receipt, published_at, headers)
    ) as e on e.receipt = m.receipt
    join queue.definition as d
      on d.name = m.definition
      and d.published_version is not null
    join queue.definition_version as v
      on v.definition_id = d.definition_id
      and v.version = m.version
    join queue.definition_trigger as t
      on t.definition_id = d.definition_id
      and t.name = m.name
    -- What an earlier delivery of the event did stays as it is.
    left join queue.trigger_match as k
      on k.event_id = e.event_id
      and k.definition_id = d.definition_id
      and k.name = t.name
      and (k.outcome in ('started', 'once', 'withdrawn') or k.outcome = 'delayed' and not e.is_recheck)
    where k.event_id is null
      and (e.is_directed or t.listening_since <= e.published_at)
      and not queue._multiplies(t.pattern, e.topic, e.ends)
    order by d.definition_id, m.once_key, e.event_id, t.name
  );
end
$function$;

comment on function queue._decide_matches(bigint[], timestamptz[], jsonb[], jsonb) is
$comment$Decides what becomes of the triggers that events matched, but for once_for. Definitions and triggers that no longer exist are left out, and so are matches that an earlier delivery of the event has settled.
receipts, published, headers: of the events. matches: as in trigger_commit().
Returns the decisions in the order in which once_for is locked.
Touches: nothing; reads queue.definition, queue.definition_version, queue.definition_trigger, queue.trigger_match.$comment$;
