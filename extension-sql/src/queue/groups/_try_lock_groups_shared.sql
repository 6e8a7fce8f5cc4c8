create or replace function queue._try_lock_groups_shared(queue text, message_group_ids text[])
returns boolean[]
language plpgsql
volatile
as $function$
begin
  -- A snapshot older than the lock does not contain earlier sends.
  if current_setting('transaction_isolation') <> 'read committed' then
    return array_fill(false, array[coalesce(cardinality(message_group_ids), 0)]);
  end if;

  return array(
    select case
        -- A transaction that holds the exclusive lock is refused a shared one while another transaction waits for it.
        when pg_try_advisory_xact_lock_shared(g.key) then true
        else pg_try_advisory_xact_lock(g.key)
      end
    from (
      select queue._group_lock_key(_try_lock_groups_shared.queue, i.message_group_id) as key, i.position
      from unnest(message_group_ids) with ordinality as i (message_group_id, position)
    ) as g
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_groups_shared(text, text[]) is
$comment$Keeps senders out of groups until the transaction ends, unless a sender already holds the lock. The lock is shared: groups have 2048 keys, and concurrent batches of acknowledgements must not block each other.
Returns for each group whether its lock is held; false for all in a repeatable read transaction, whose snapshot would be older than the lock.
Touches: the groups' advisory locks (without waiting).$comment$;
