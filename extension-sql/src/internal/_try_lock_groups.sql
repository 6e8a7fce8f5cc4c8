create or replace function queue._try_lock_groups(queue text, message_group_ids text[])
returns text[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- A snapshot older than the lock does not show what was sent before it.
  if current_setting('transaction_isolation') <> 'read committed' then
    return array[]::text[];
  end if;

  return array(
    select g.message_group_id
    from unnest(message_group_ids) as g (message_group_id)
    where pg_try_advisory_xact_lock(queue._group_lock_key(_try_lock_groups.queue, g.message_group_id))
  );
end
$function$;

comment on function queue._try_lock_groups(text, text[]) is
$comment$As _lock_groups(), for those who must not wait.
Returns those of the groups whose lock is held; none in a repeatable read transaction, whose snapshot would be older than the lock.
Touches: the groups' advisory locks; never waits.$comment$;
