create or replace function queue._publish_to_workflow(
  name    text,
  inputs  jsonb[],
  keys    text[],
  options jsonb[],
  headers jsonb
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_trace constant jsonb := (
    select jsonb_object_agg(h.key, h.value)
    from jsonb_each(headers) as h (key, value)
    where h.key in ('traceparent', 'tracestate')
  );
begin
  perform queue.workflow_start_batch(
    _publish_to_workflow.name,
    _publish_to_workflow.inputs,
    versions => array(select (o.options ->> 'version')::integer from unnest(_publish_to_workflow.options) as o (options)),
    idempotency_keys => _publish_to_workflow.keys,
    retention_days => array(
      select (o.options ->> 'retention_days')::integer from unnest(_publish_to_workflow.options) as o (options)
    ),
    delay_seconds => array(
      select (o.options ->> 'delay_seconds')::numeric from unnest(_publish_to_workflow.options) as o (options)
    ),
    tags => array(select o.options -> 'tags' from unnest(_publish_to_workflow.options) as o (options)),
    traces => case
      when v_trace is not null then array_fill(v_trace, array[cardinality(_publish_to_workflow.inputs)])
    end
  );
end
$function$;

comment on function queue._publish_to_workflow(text, jsonb[], text[], jsonb[], jsonb) is
$comment$Starts runs of a workflow, one for each of its subscriptions; where the key is taken, the run is there already.
Every array has one element a subscription. headers: of the message; the trace that they tell of goes on.
Touches: as workflow_start_batch().$comment$;
