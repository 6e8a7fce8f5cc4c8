create or replace function queue._sweep_accepted(source smallint, oldest_item bigint)
returns void
language plpgsql
volatile
-- plans: index, no bitmap, no sort
as $function$
declare
  v_noted_at timestamptz;
begin
  -- Not the clock: after a gap, the source learns only from this answer what it has to send again.
  select n.accepted_at into v_noted_at
  from (
    select a.item_id, a.accepted_at
    from queue.accepted as a
    where a.source = _sweep_accepted.source
    order by a.accepted_at desc
    limit 1000
  ) as n
  where oldest_item is null or n.item_id < oldest_item
  limit 1;
  delete from queue.accepted as a
  where a.source = _sweep_accepted.source
    and a.cause = any (array(
      select o.cause
      from queue.accepted as o
      where o.source = _sweep_accepted.source
        and o.accepted_at < v_noted_at - interval '1 day'
        and (oldest_item is null or o.item_id < oldest_item)
      limit 1000
    ));
end
$function$;

comment on function queue._sweep_accepted(smallint, bigint) is
$comment$Deletes receipts of items that their source sends no more: it has noted their delivery, and that of an item that arrived more than a day after.
oldest_item: the first of a batch, which is the oldest that the source has not noted; null for an empty batch.
Touches: queue.accepted.$comment$;
