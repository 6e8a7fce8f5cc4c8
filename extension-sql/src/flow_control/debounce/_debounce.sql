create or replace function queue._debounce(
  flow   jsonb,
  inputs jsonb[],
  inout idempotency_keys text[],
  inout delay_seconds    numeric[],
  inout on_running       text[],
  inout on_ended         text[],
  flow_keys text[]
)
language plpgsql
immutable
as $function$
declare
  v_seconds constant numeric := (flow #>> '{debounce,seconds}')::numeric;
begin
  select
    array_agg(case when d.key is null then d.idempotency_key else 'debounce:' || d.key end order by d.n),
    array_agg(case when d.key is null then d.delay else greatest(d.delay, v_seconds) end order by d.n),
    array_agg(case when d.key is null then d.on_running else 'debounce' end order by d.n),
    array_agg(case when d.key is null then d.on_ended else 'start-new' end order by d.n)
  into idempotency_keys, delay_seconds, on_running, on_ended
  from (
    select i.n, i.idempotency_key, i.delay, i.on_running, i.on_ended,
      case
        when i.idempotency_key is null then nullif(coalesce(i.key, queue._flow_key(s.input, flow ->> 'key')), '')
      end as key
    from generate_subscripts(inputs, 1) as g (n)
    cross join lateral (select inputs[g.n] as input) as s
    cross join lateral (
      select g.n, idempotency_keys[g.n] as idempotency_key, delay_seconds[g.n] as delay, on_running[g.n] as on_running,
        on_ended[g.n] as on_ended, flow_keys[g.n] as key
    ) as i
  ) as d;
end
$function$;

comment on function queue._debounce(jsonb, jsonb[], text[], numeric[], text[], text[], text[]) is
$comment$Changes the arguments of starts of a debounced workflow: each start gets the delay, and the idempotency key by which a later start finds its run. Starts with their own idempotency key, or without a flow key, are not debounced.
flow: of the workflow.
inputs, idempotency_keys, delay_seconds, on_running, on_ended, flow_keys: as in workflow_start_batch().
Returns the changed arguments. The value "debounce" of on_running is for _resolve_key_conflicts() only.$comment$;
