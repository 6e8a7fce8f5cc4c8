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
        -- template: delete_standard.sql function:I table:I
      $sql$, '_delete_q_' || _create_delete_function.name, 'q_' || _create_delete_function.name);

    when 'fifo' then
      execute format($sql$
        -- template: delete_fifo.sql function:I table:I queue:L
      $sql$,
        '_delete_q_' || _create_delete_function.name, 'q_' || _create_delete_function.name, _create_delete_function.name
      );
  end case;
end
$function$;

comment on function queue._create_delete_function(text, text) is
$comment$Creates the function that deletes messages of one queue: see _create_queue_functions().
In a FIFO queue, the function deletes heads of groups and promotes the next message of each group. If no message is visible behind a head, but an open transaction holds the group, the next message is not known yet. A tombstone, which is a head without a message, then replaces the head, and a later receive that finds it deletes it in the same way: 5 ms later at first, then at growing intervals, but not after retry_at. Nothing waits for the open transaction, or for a moment at which no transaction sends to the group.
A message that was received together with its head is deleted without a promotion. is_grouped states that the queue may have such messages in flight: then the next message may be locked by a transaction that acknowledges or postpones it, and a tombstone replaces the head, too.
The function returns the receipts that were alive, and whether a receive may now find a message. It touches advisory locks of groups and of promotions (without waiting), and the queue's table: rows by receipt, then their successors.
Touches: creates queue._delete_q_<name>.$comment$;
