create or replace function queue._publish_to_run(run_id bigint, message jsonb, subscriptions bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- Not a signal yet: a signal locks the run, in an order that a publish cannot keep.
  insert into queue.workflow_inbox (run_id, event, payload)
  select _publish_to_run.run_id, queue._letter_event(s.subscription_id), message
  from unnest(subscriptions) as s (subscription_id);
  perform queue._wake_workflows(array[run_id]);
end
$function$;

comment on function queue._publish_to_run(bigint, jsonb, bigint[]) is
$comment$Puts a message of a topic into the inbox of a run that waits for it.
subscriptions: those of its waiting steps that take the message.
Touches: queue.workflow_inbox; as _wake().$comment$;
