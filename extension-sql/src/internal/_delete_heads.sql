create or replace function queue._delete_heads(queue text, receipts bigint[], retry_at timestamptz)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table       constant regclass := queue._queue_table(_delete_heads.queue);
  v_receipts    bigint[];
  v_groups      text[];
  v_is_locked   boolean[];
  v_deleted     bigint[];
  v_is_promoted boolean;
begin
  execute format($sql$
    select array_agg(m.receipt), array_agg(m.message_group_id)
    from unnest($1) as i (receipt)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
  $sql$, v_table)
  into v_receipts, v_groups
  using receipts;
  if v_receipts is null then
    return array[]::bigint[];
  end if;

  -- The locks come before the statement whose snapshot has to show all that was sent under them.
  v_is_locked := queue._try_lock_groups(_delete_heads.queue, v_groups);

  -- A comparison of rows, which only the index of groups can answer. Where a tombstone goes, another head may be there; where a head goes, none is.
  execute format($sql$
    with deleted as (
      delete from %1$s as m
      using unnest($1, $2) as i (receipt, is_locked)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
        and i.is_locked
      returning m.message_group_id, m.receipt, m.msg_id, m.message is null as is_tombstone
    ),
    promoted as (
      update %1$s as m
      set head = true,
        visible_at = greatest(m.visible_at, (select clock_timestamp()))
      from (
        select d.message_group_id, min(d.msg_id) as msg_id, bool_and(d.is_tombstone) as is_tombstone
        from deleted as d
        group by d.message_group_id
      ) as gone
      cross join lateral (
        select waiting.msg_id
        from %1$s as waiting
        where (waiting.message_group_id, waiting.msg_id) > (gone.message_group_id, gone.msg_id)
          and (waiting.message_group_id, waiting.msg_id) <= (gone.message_group_id, 9223372036854775807)
          and not waiting.head
        order by waiting.message_group_id, waiting.msg_id
        limit 1
      ) as next
      where m.msg_id = next.msg_id
        and not (gone.is_tombstone and exists (
          select
          from %1$s as other
          where other.message_group_id = gone.message_group_id
            and other.head
            and other.msg_id not in (select d.msg_id from deleted as d)
        ))
      returning m.msg_id
    )
    select array(select deleted.receipt from deleted), exists (select from promoted)
  $sql$, v_table)
  into v_deleted, v_is_promoted
  using v_receipts, v_is_locked;

  if false = any (v_is_locked) then
    perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
    execute format($sql$
      with buried as (
        update %1$s as m
        set receipt = queue._new_receipt(m.msg_id, m.receipt),
          visible_at = greatest($3, clock_timestamp()),
          message = null,
          headers = null
        from unnest($1, $2) as i (receipt, is_locked)
        where m.msg_id = queue._receipt_msg_id(i.receipt)
          and m.receipt = i.receipt
          and not i.is_locked
        returning i.receipt
      )
      select $4 || array(select buried.receipt from buried)
    $sql$, v_table)
    into v_deleted
    using v_receipts, v_is_locked, retry_at, v_deleted;
  end if;

  if v_is_promoted then
    perform queue._wake('queue_' || _delete_heads.queue);
  end if;
  return v_deleted;
end
$function$;

comment on function queue._delete_heads(text, bigint[], timestamptz) is
$comment$Deletes heads of groups, and promotes the next message of each group in the same statement.
Where an open transaction holds the group, its messages are not visible yet, so that nobody can say who comes next. The head then becomes a tombstone, a head without a message, and the first receive that finds it after retry_at deletes it the same way. Nothing ever waits for the open transaction.
Returns the receipts that were alive.
Touches: advisory locks of the groups (without waiting), the queue's table: heads by receipt, then their successors.$comment$;
