create or replace function queue._take_once(decisions queue.trigger_decision[])
returns queue.trigger_decision[]
language plpgsql
volatile
-- plans: index, nested loop
as $function$
begin
  if not exists (select from unnest(decisions) as d where d.outcome = 'start' and d.once_key is not null) then
    return decisions;
  end if;
  insert into queue.definition_once (definition_id, event_id, started_at, trigger_name, key_hash, key)
  select distinct on (d.definition_id, h.key_hash)
    d.definition_id, d.event_id, clock_timestamp(), d.name, h.key_hash, d.once_key
  from unnest(decisions) as d
  cross join lateral (select sha256(convert_to(d.once_key, 'UTF8')) as key_hash) as h
  where d.outcome = 'start'
    and d.once_key is not null
  -- In this order, so that two workers with the same keys don't deadlock.
  order by d.definition_id, h.key_hash, d.event_id, d.name
  on conflict on constraint definition_once_pkey do nothing;
  -- A conflicting insert has waited for the other transaction, so this statement sees its row.
  return array(
    select row(
        d.event_id, d.definition_id, d.workflow_name, d.version, d.name,
        case when o.event_id is null then d.outcome else 'once' end,
        d.error, d.input, d.once_key, d.delay_seconds, d.depth, d.ends, d.trace, o.run_id
      )::queue.trigger_decision
    from unnest(decisions) with ordinality as d
    left join queue.definition_once as o
      on d.outcome = 'start'
      and o.definition_id = d.definition_id
      and o.key_hash = sha256(convert_to(d.once_key, 'UTF8'))
      and (o.event_id, o.trigger_name) <> (d.event_id, d.name)
    order by d.ordinality
  );
end
$function$;

comment on function queue._take_once(queue.trigger_decision[]) is
$comment$Takes the keys of once_for. Decisions whose key an earlier event has taken become once, with the run of that event.
Touches: queue.definition_once, in the order of its key (waits for transactions that take the same).$comment$;
