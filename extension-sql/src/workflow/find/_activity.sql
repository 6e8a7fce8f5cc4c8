create or replace function queue._activity(
  headers    jsonb,
  receipt    bigint,
  visible_at timestamptz,
  suspect_at timestamptz,
  message    jsonb,
  is_queued  boolean,
  is_retried boolean,
  now        timestamptz
)
returns text
language sql
as $function$
  select case
    when headers operator(pg_catalog.?) 'paused' then
      case
        when receipt is not null
          and visible_at operator(pg_catalog.>) now
          and visible_at operator(pg_catalog.<>) queue._paused_until(headers)
          then 'pausing'
        else 'paused'
      end
    -- A suspect between two deliveries.
    when suspect_at operator(pg_catalog.<) 'infinity' then 'ready'
    when receipt is not null and visible_at operator(pg_catalog.>) now then 'executing'
    when visible_at operator(pg_catalog.<=) now then 'ready'
    when is_queued then 'queued'
    when message operator(pg_catalog.->) 'retries' operator(pg_catalog.@>) '[{}]' then 'retrying'
    when message operator(pg_catalog.=) '{}' and is_retried then 'retrying'
    when message operator(pg_catalog.->) 'waits' operator(pg_catalog.@>) '[{"kind": "event"}]' then 'waiting'
    when message operator(pg_catalog.->) 'waits' operator(pg_catalog.@>) '[{"kind": "invoke"}]' then 'waiting'
    when message operator(pg_catalog.->) 'waits' operator(pg_catalog.@>) '[{"kind": "sleep"}]' then 'sleeping'
    when visible_at is not null then 'delayed'
  end
$function$;

comment on function queue._activity(jsonb, bigint, timestamptz, timestamptz, jsonb, boolean, boolean, timestamptz) is
$comment$Returns the activity of a running run, from its continuation. It is inlined, so that a list of a million runs in flight calls no function for each.
is_queued: flow control holds the run back.
is_retried: the run was retried by the policy of its workflow.
Returns the activity, as in queue.workflow_state; null without a continuation.
Touches: nothing.$comment$;
