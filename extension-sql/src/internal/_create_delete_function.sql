create or replace function queue._create_delete_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  case _create_delete_function.kind
    when 'standard' then
      execute format($sql$
        create or replace function queue.%1$I(
          receipts        bigint[],
          retry_at        timestamptz,
          out deleted     bigint[],
          out is_promoted boolean
        )
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        begin
          with gone as (
            delete from queue.%2$I as m
            using unnest(receipts) as i (receipt)
            where m.msg_id = queue._receipt_msg_id(i.receipt)
              and m.receipt = i.receipt
            returning m.receipt
          )
          select coalesce(array_agg(gone.receipt), '{}'), false
          into deleted, is_promoted
          from gone;
        end
        $body$
      $sql$, '_delete_q_' || _create_delete_function.name, 'q_' || _create_delete_function.name);

    when 'fifo' then
      execute format($sql$
        create or replace function queue.%1$I(
          receipts        bigint[],
          retry_at        timestamptz,
          out deleted     bigint[],
          out is_promoted boolean
        )
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        declare
          v_receipts   bigint[];
          v_groups     text[];
          v_may_share  boolean[];
          v_are_locked boolean[];
        begin
          select array_agg(m.receipt), array_agg(m.message_group_id), array_agg(m.message is not null)
          into v_receipts, v_groups, v_may_share
          from unnest(receipts) as i (receipt)
          join queue.%2$I as m
            on m.msg_id = queue._receipt_msg_id(i.receipt)
            and m.receipt = i.receipt;
          deleted := '{}';
          is_promoted := false;
          if v_receipts is null then
            return;
          end if;

          -- The locks come before the statement whose snapshot has to show all that was sent under them. A group has
          -- one head with a message, but tombstones of it may be more, each of which would leave the promotion to
          -- the other.
          v_are_locked := queue._try_lock_groups(%3$L, v_groups, v_may_share);

          -- A comparison of rows, which only the index of those that wait can answer. Where a tombstone goes, another
          -- head may be there; where a head goes, none is.
          with gone as (
            delete from queue.%2$I as m
            using unnest(v_receipts, v_are_locked) as i (receipt, is_locked)
            where m.msg_id = queue._receipt_msg_id(i.receipt)
              and m.receipt = i.receipt
              and i.is_locked
            returning m.message_group_id, m.receipt, m.msg_id, m.message is null as is_tombstone
          ),
          promoted as (
            update queue.%2$I as m
            set head = true,
              visible_at = greatest(m.visible_at, (select clock_timestamp()))
            from (
              select g.message_group_id, min(g.msg_id) as msg_id, bool_and(g.is_tombstone) as is_tombstone
              from gone as g
              group by g.message_group_id
            ) as left_over
            cross join lateral (
              select waiting.ctid
              from queue.%2$I as waiting
              where (waiting.message_group_id, waiting.msg_id) > (left_over.message_group_id, left_over.msg_id)
                and (waiting.message_group_id, waiting.msg_id) <= (left_over.message_group_id, 9223372036854775807)
                and not waiting.head
              order by waiting.message_group_id, waiting.msg_id
              limit 1
            ) as next
            -- By ctid: what waits is changed by nobody who does not hold the lock of its group.
            where m.ctid = next.ctid
              and not (left_over.is_tombstone and exists (
                select
                from queue.%2$I as other
                where other.message_group_id = left_over.message_group_id
                  and other.head
                  and other.msg_id not in (select g.msg_id from gone as g)
              ))
            returning m.msg_id
          )
          select array(select gone.receipt from gone), exists (select from promoted)
          into deleted, is_promoted;

          if false = any (v_are_locked) then
            perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
            with buried as (
              update queue.%2$I as m
              set receipt = queue._new_receipt(m.msg_id, m.receipt),
                visible_at = greatest(retry_at, clock_timestamp()),
                message = null,
                headers = null
              from unnest(v_receipts, v_are_locked) as i (receipt, is_locked)
              where m.msg_id = queue._receipt_msg_id(i.receipt)
                and m.receipt = i.receipt
                and not i.is_locked
              returning i.receipt
            )
            select deleted || array(select buried.receipt from buried)
            into deleted;
          end if;
        end
        $body$
      $sql$,
        '_delete_q_' || _create_delete_function.name, 'q_' || _create_delete_function.name, _create_delete_function.name
      );
  end case;
end
$function$;

comment on function queue._create_delete_function(text, text) is
$comment$Makes the function by which messages of one queue are deleted: see _create_queue_functions().
In a FIFO queue it deletes heads of groups, and promotes the next message of each group in the same statement. Where an open transaction holds the group, its messages are not visible yet, so that nobody can say who comes next. The head then becomes a tombstone, a head without a message, and the first receive that finds it after retry_at deletes it the same way. Nothing ever waits for the open transaction.
That returns the receipts that were alive, and whether a message was promoted. It touches advisory locks of the groups (without waiting), the queue's table: rows by receipt, then their successors.
Touches: creates queue._delete_q_<name>.$comment$;
