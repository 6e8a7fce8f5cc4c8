create or replace function queue._refresh_gates(
  queue_id integer,
  limits   queue.flow_limits,
  keys     text[],
  moment   timestamptz
)
returns void
language plpgsql
volatile
-- plans: index, nested loop, generic
as $function$
begin
  delete from queue.workflow_gate as g
  where g.queue_id = _refresh_gates.queue_id
    and g.key = any (keys)
    and g.key <> ''
    and g.taken = 0
    and g.filled_at <= moment;
  update queue.workflow_gate as g
  set opens_at = queue._gate_opens_at(g.key, g.filled_at, limits, moment)
  where g.queue_id = _refresh_gates.queue_id
    and g.key = any (keys)
    and g.opens_at is distinct from queue._gate_opens_at(g.key, g.filled_at, limits, moment);
end
$function$;

comment on function queue._refresh_gates(integer, queue.flow_limits, text[], timestamptz) is
$comment$Updates when gates open, and deletes gates of keys that have nothing left to count. The caller holds the lock of the admission.
keys: the gates to update.
Touches: queue.workflow_gate.$comment$;
