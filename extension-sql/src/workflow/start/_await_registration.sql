create or replace function queue._await_registration(name text)
returns queue.version_defaults
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform from queue.queue as q where q.name = '__wf_' || _await_registration.name for share;
  return queue._version_defaults(name);
end
$function$;

comment on function queue._await_registration(text) is
$comment$Waits for a first registration of a workflow that is about to commit; one that begins later waits for the caller's transaction, so that it sees the runs which that starts.
Returns as _version_defaults().
Touches: queue.queue (a shared lock).$comment$;
