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
end
$function$;

comment on function queue._create_receive_function(text, text) is
$comment$Makes the function by which messages of one queue are leased: see _create_queue_functions().
That function takes claim_at, the time to take as now; ready_from, where to begin in the ready index; lease, for how long; is_alone, whether the delivery counts when its lease expires; excluded, messages to leave where they are; expired_before, what was sent earlier is too old; max_bytes, how much to deliver, but one message at least. It leases what is ready, in a FIFO queue heads of groups only, and returns what to deliver, oldest first, as parallel arrays; previous, the receipts of the deliveries before, of those messages that were delivered before: see _judge_redelivered(); and receipts of tombstones and of what is too old. Arrays are null when empty.
Touches: creates queue._receive_q_<name>.$comment$;
