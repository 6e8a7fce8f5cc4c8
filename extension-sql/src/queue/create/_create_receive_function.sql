create or replace function queue._create_receive_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  execute format($sql$
    -- template: receive.sql function:I table:I is_head:s group:s
  $sql$,
    '_receive_q_' || _create_receive_function.name, 'q_' || _create_receive_function.name,
    case _create_receive_function.kind when 'fifo' then 'm.head' else 'true' end,
    case _create_receive_function.kind when 'fifo' then 'm.message_group_id' else 'null::text' end
  );
  if _create_receive_function.kind = 'fifo' then
    execute format($sql$
      -- template: receive_groups.sql function:I table:I
    $sql$, '_groups_q_' || _create_receive_function.name, 'q_' || _create_receive_function.name);
  end if;
end
$function$;

comment on function queue._create_receive_function(text, text) is
$comment$Makes the functions by which messages of one queue are leased: see _create_queue_functions().
The first function takes claim_at, the time to take as now; ready_from, where to begin in the ready index; lease, for how long; is_alone, whether the delivery counts when its lease expires; excluded, messages to leave where they are; expired_before, what was sent earlier is too old; max_bytes, how much to deliver, but one message at least. It leases what is ready, in a FIFO queue heads of groups only, and returns what to deliver, oldest first, as parallel arrays; previous, the receipts of the deliveries before, of those messages that were delivered before: see _judge_redelivered(); and receipts of tombstones and of what is too old. Arrays are null when empty.
The second one, of a FIFO queue, does the same for a queue in which messages behind a head may be in flight. It also takes max_per_group, how many messages to lease of a group at most, up to 10; and max_receives, 2147483646 for no limit. It locks heads, then what is behind them, without waiting, and leases of each group the head and the rows directly behind it that are ready. It leaves out groups in which one of the nine rows behind the head is in flight. A message that may be put apart, dropped or moved to the dead letter queue is leased as a head only, and nothing behind it with it.
Touches: creates queue._receive_q_<name>; for a FIFO queue, queue._groups_q_<name>.$comment$;
