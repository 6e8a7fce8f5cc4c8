create or replace function queue.outbox_rejected(max_items integer default 100)
returns setof queue.rejected_item
language plpgsql
stable
security definer
as $function$
begin
  perform queue._check_count(max_items, 'max_items', 10000, 'Request between 1 and 10000 items at a time.');
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select o.item_id, s.name, o.kind, o.created_at, o.problem, o.body
    from queue.outbox as o
    join queue.fleet_shard as s on s.shard = o.target
    where o.problem is not null
    order by o.item_id
    limit max_items;
end
$function$;

comment on function queue.outbox_rejected(integer) is
$comment$Lists the items that other shards have rejected, oldest first.
max_items: at most this many, 1 to 10000.
Returns the items; no rows in a standalone database.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.outbox, queue.fleet_shard.$comment$;
