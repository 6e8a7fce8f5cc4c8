create or replace function queue._try_lock_groups(queue text, message_group_ids text[])
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- A snapshot older than the lock does not show what was sent before it.
  if current_setting('transaction_isolation') <> 'read committed' then
    return array_fill(false, array[coalesce(cardinality(message_group_ids), 0)]);
  end if;

  return array(
    select pg_try_advisory_xact_lock(queue._group_lock_key(_try_lock_groups.queue, g.message_group_id))
    from unnest(message_group_ids) with ordinality as g (message_group_id, position)
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_groups(text, text[]) is
$comment$As _lock_groups(), for those who must not wait.
Returns whether the lock of each group is held; of none in a repeatable read transaction, whose snapshot would be older than the lock.
Touches: the groups' advisory locks; never waits.$comment$;
