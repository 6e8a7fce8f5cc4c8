create or replace function queue._try_lock_groups(queue text, message_group_ids text[], may_share boolean[])
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
    select case
        -- Who holds it alone already is refused a share where somebody waits for it.
        when g.may_share and pg_try_advisory_xact_lock_shared(g.key) then true
        else pg_try_advisory_xact_lock(g.key)
      end
    from (
      select queue._group_lock_key(_try_lock_groups.queue, i.message_group_id) as key, i.may_share, i.position
      from unnest(message_group_ids, _try_lock_groups.may_share) with ordinality
        as i (message_group_id, may_share, position)
    ) as g
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_groups(text, text[], boolean[]) is
$comment$As _lock_groups(), for those who must not wait.
may_share: for each group, whether others who share may hold the lock too. Whoever deletes the one head of a group shares it: nobody else can delete that, and whoever sends to the group is kept out all the same. Groups have 2,048 locks among them, so that batches of acknowledgements would be in each other's way otherwise.
Returns whether the lock of each group is held; of none in a repeatable read transaction, whose snapshot would be older than the lock.
Touches: the groups' advisory locks; never waits.$comment$;
