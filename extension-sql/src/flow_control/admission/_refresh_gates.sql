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
  with gate as materialized (
    select g.ctid as place, g.opens_at,
      g.key <> '' and g.taken = 0 and g.filled_at <= moment and not w.is_awaited as is_over,
      case
        -- A transaction has locked the run that waits although there is room, and may leave it as it was.
        when g.key <> '' and w.is_awaited
          and queue._rate_room(g.filled_at, (limits).key_spacing, (limits).key_burst, moment) > g.candidates
          then moment + interval '1 second'
        else queue._gate_opens_at(g.key, g.filled_at, limits, moment, w.is_awaited)
      end as next_at
    from queue.workflow_gate as g
    cross join lateral (
      select g.key = '' or (g.taken < (limits).key_concurrency) is not false and exists (
          select from queue.workflow_admission as a
          where a.queue_id = _refresh_gates.queue_id
            and a.key = g.key
            and a.state = 'waiting'
            and not a.is_over
        ) as is_awaited
      -- Looks once for all three uses.
      offset 0
    ) as w
    where g.queue_id = _refresh_gates.queue_id
      and g.key = any (keys)
  ),
  deleted as (
    delete from queue.workflow_gate as g
    using gate as o
    where g.ctid = o.place
      and o.is_over
  )
  update queue.workflow_gate as g
  set opens_at = o.next_at
  from gate as o
  where g.ctid = o.place
    and not o.is_over
    and o.opens_at is distinct from o.next_at;
end
$function$;

comment on function queue._refresh_gates(integer, queue.flow_limits, text[], timestamptz) is
$comment$Updates when gates open, and deletes gates of keys that have nothing left to count. The caller holds the lock of the admission.
keys: the gates to update.
Touches: queue.workflow_gate; reads queue.workflow_admission.$comment$;
