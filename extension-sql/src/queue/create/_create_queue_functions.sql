create or replace function queue._create_queue_functions(name text, kind text)
returns void
language plpgsql
volatile
as $function$
declare
  v_table    constant text := 'q_' || _create_queue_functions.name;
  v_send     constant text := '_send_' || v_table;
  v_delete   constant text := '_delete_' || v_table;
  v_is_fifo  constant boolean := _create_queue_functions.kind = 'fifo';
  v_function regprocedure;
begin
  -- Those of an older release may take other parameters.
  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('drop function %s', v_function);
  end loop;

  execute format($sql$
    -- template: receive.sql function:I table:I is_head:s group:s
  $sql$,
    '_receive_' || v_table, v_table, case when v_is_fifo then 'm.head' else 'true' end,
    case when v_is_fifo then 'm.message_group_id' else 'null::text' end
  );
  if not v_is_fifo then
    execute format($sql$
      -- template: send_standard.sql function:I table:I
    $sql$, v_send, v_table);
    execute format($sql$
      -- template: delete_standard.sql function:I table:I
    $sql$, v_delete, v_table);
  else
    execute format($sql$
      -- template: send_fifo.sql function:I table:I queue:L
    $sql$, v_send, v_table, _create_queue_functions.name);
    execute format($sql$
      -- template: receive_groups.sql function:I table:I
    $sql$, '_groups_' || v_table, v_table);
    execute format($sql$
      -- template: delete_fifo.sql function:I table:I queue:L
    $sql$, v_delete, v_table, _create_queue_functions.name);
  end if;

  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('revoke all on function %s from public', v_function);
    execute format('comment on function %s is %L', v_function,
      format('Serves the queue "%s"; made by queue._create_queue_functions().', _create_queue_functions.name));
  end loop;
end
$function$;

comment on function queue._create_queue_functions(text, text) is
$comment$Creates or replaces the functions that contain the hot statements of a queue.
Each queue has its own table. A function for all queues would name it in dynamic SQL, which is parsed and planned at each call: two thirds of the time of sending or receiving one message, and a third for a hundred. A function per queue is planned once a session.
The arguments and results have built-in types only, so that dropping the extension leaves these functions with the tables. Their search_path is that of the session that creates them, where tests put their clock. Each migrate() that changes anything replaces them.
kind: standard or fifo.
- _send_q_<name> appends messages. For a standard queue, it returns the message ids, in order. delays replaces delay, with one element per message, unless it is null. For a FIFO queue, whose groups the caller has locked, it takes one group per message, and sees_heads: false if the snapshot is older than the locks, so that no message becomes a head. It returns the ids; the groups that got a head, and these heads; least_id, the mark of the queue from which it searched the groups; and whether a group had its own mark.
- _receive_q_<name> leases messages. It takes claim_at, the time to take as now; ready_from, where to begin in the ready index; lease, for how long; is_alone, whether the delivery counts when its lease expires; excluded, messages to leave where they are; expired_before, what was sent earlier is too old; max_bytes, how much to deliver, but one message at least. It leases what is ready, in a FIFO queue heads of groups only, and returns what to deliver, oldest first, as parallel arrays; previous, the receipts of the deliveries before, of those messages that were delivered before: see _judge_redelivered(); and receipts of tombstones and of what is too old. Arrays are null when empty.
- _groups_q_<name>, of a FIFO queue, does the same for a queue in which messages behind a head may be in flight. It also takes max_per_group, how many messages to lease of a group at most, up to 10; and max_receives, 2147483646 for no limit. It locks heads, then what is behind them, without waiting, and leases of each group the head and the rows directly behind it that are ready. It leaves out groups in which one of the nine rows behind the head is in flight. A message that may be put apart, dropped or moved to the dead letter queue is leased as a head only, and nothing behind it with it.
- _delete_q_<name> deletes messages. In a FIFO queue, it deletes heads of groups and promotes the next message of each group. If no message is visible behind a head, but an open transaction holds the group, the next message is not known yet. A tombstone, which is a head without a message, then replaces the head, and a later receive that finds it deletes it in the same way: 5 ms later at first, then at growing intervals, but not after retry_at. Nothing waits for the open transaction, or for a moment at which no transaction sends to the group. A message that was received together with its head is deleted without a promotion. is_grouped states that the queue may have such messages in flight: then the next message may be locked by a transaction that acknowledges or postpones it, and a tombstone replaces the head, too. It returns the receipts that were alive, and whether a receive may now find a message. It touches advisory locks of groups and of promotions (without waiting), and the queue's table: rows by receipt, then their successors.
Touches: creates queue._send_q_<name>, queue._receive_q_<name>, queue._delete_q_<name>; for a FIFO queue, queue._groups_q_<name>.$comment$;
