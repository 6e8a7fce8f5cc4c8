create or replace function queue._create_send_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  case _create_send_function.kind
    when 'standard' then
      execute format($sql$
        -- template: send_standard.sql function:I table:I
      $sql$, '_send_q_' || _create_send_function.name, 'q_' || _create_send_function.name);

    when 'fifo' then
      execute format($sql$
        -- template: send_fifo.sql function:I table:I queue:L
      $sql$, '_send_q_' || _create_send_function.name, 'q_' || _create_send_function.name, _create_send_function.name);
  end case;
end
$function$;

comment on function queue._create_send_function(text, text) is
$comment$Creates the function that appends messages to one queue: see _create_queue_functions().
For a standard queue, it returns the message ids, in order. delays replaces delay, with one element per message, unless it is null. For a FIFO queue, whose groups the caller has locked, it takes one group per message, and sees_heads: false if the snapshot is older than the locks, so that no message becomes a head. It returns the ids; the groups that got a head, and these heads; least_id, the mark of the queue from which it searched the groups; and whether a group had its own mark.
Touches: creates queue._send_q_<name>.$comment$;
