create or replace function queue._mark_fleet(is_shard boolean)
returns void
language plpgsql
volatile
as $function$
begin
  if is_shard and not queue._in_fleet() then
    create type queue.in_fleet as ();
    comment on type queue.in_fleet is
      'Marks that this database is a shard of a fleet. Functions look for this name in the catalog cache and read no table.';
    create index deduplication_group on queue.deduplication (queue_name, message_group_id) where message_group_id is not null;
  elsif not is_shard and queue._in_fleet() then
    drop type queue.in_fleet;
    drop index queue.deduplication_group;
  end if;
end
$function$;

comment on function queue._mark_fleet(boolean) is
$comment$Creates what a shard of a fleet has and a standalone database doesn't, or drops it: the type that marks it, and the index by which deduplication ids move with their groups.
is_shard: whether this database is one.
Touches: the type that _in_fleet() looks for; queue.deduplication.$comment$;
