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
as $function$
declare
  v_trace constant jsonb := (
    select jsonb_object_agg(h.key, h.value)
    from jsonb_each(headers) as h (key, value)
    where h.key in ('traceparent', 'tracestate')
  );
begin
  -- The publisher has nothing to do with it.
  if queue._start_refusal(name) is not null then
    return;
  end if;
  perform queue.workflow_start_batch(
    _publish_to_workflow.name,
    _publish_to_workflow.inputs,
    -- Casts the number, not its text: a whole number may be written as 2.0.
    versions => array(select (o.options -> 'version')::integer from unnest(_publish_to_workflow.options) as o (options)),
    idempotency_keys => _publish_to_workflow.keys,
    retention_days => array(
      select (o.options -> 'retention_days')::integer from unnest(_publish_to_workflow.options) as o (options)
    ),
    delay_seconds => array(
      select (o.options ->> 'delay_seconds')::numeric from unnest(_publish_to_workflow.options) as o (options)
    ),
    -- Older releases accepted other values.
    tags => array(
      select case jsonb_typeof(o.options -> 'tags') when 'object' then o.options -> 'tags' end
      from unnest(_publish_to_workflow.options) as o (options)
    ),
    traces => case
      when v_trace is not null then array_fill(v_trace, array[cardinality(_publish_to_workflow.inputs)])
    end
  );
end
$function$;

comment on function queue._publish_to_workflow(text, jsonb[], text[], jsonb[], jsonb) is
$comment$Starts runs of a workflow, one per subscription, unless a run with the key exists, or the definition of the name is archived.
inputs, keys, options: parallel arrays with one element per subscription.
headers: of the message; the runs continue its trace.
Touches: as workflow_start_batch().$comment$;
