create or replace function queue._mark_grouped(name text)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
begin
  -- A receive doesn't wait for another open transaction.
  with first as materialized (
    select q.ctid
    from queue.queue as q
    where q.name = _mark_grouped.name
      and q.grouped_at is null
    for no key update skip locked
  )
  update queue.queue as q
  set grouped_at = clock_timestamp()
  from first
  where q.ctid = first.ctid;
  return found or exists (select from queue.queue as q where q.name = _mark_grouped.name and q.grouped_at is not null);
end
$function$;

comment on function queue._mark_grouped(text) is
$comment$Notes with a queue that several messages of a group may be in flight together, before they are. Receives and deletes of other queues need not look for such messages. Those that have read the settings of the queue before this is committed don't look either: for them, a head that its consumer gives back in the same moment is receivable, although messages behind it are in flight.
Returns whether it is noted; false if another open transaction is noting it or has locked the row.
Touches: queue.queue (locked with SKIP LOCKED).$comment$;
