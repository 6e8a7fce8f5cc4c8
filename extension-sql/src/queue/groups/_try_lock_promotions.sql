create or replace function queue._try_lock_promotions(queue text, message_group_ids text[], has_message boolean[])
returns boolean[]
language plpgsql
volatile
as $function$
declare
  -- A snapshot older than the lock contains tombstones that have been deleted.
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
begin
  return array(
    select case
        when g.has_message then true
        when v_is_current then pg_try_advisory_xact_lock(~ queue._group_lock_key(_try_lock_promotions.queue, g.message_group_id))
        else false
      end
    from unnest(message_group_ids, _try_lock_promotions.has_message) with ordinality
      as g (message_group_id, has_message, position)
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_promotions(text, text[], boolean[]) is
$comment$Ensures that one of several transactions which delete heads of a group promotes the next message.
has_message: for each group, whether the deleted head had a message. A group has one such head, and one transaction can delete its row. It may have several tombstones, which need a lock.
Returns for each group whether the caller may promote.
Touches: advisory locks of groups, other than those of senders, until the transaction ends (without waiting).$comment$;
