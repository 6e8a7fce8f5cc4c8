create or replace function queue._delete_messages(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns bigint[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, no sort, generic
as $function$
declare
  v_deleted     bigint[];
  v_is_promoted boolean;
begin
  execute format('select * from queue.%I($1, $2, $3)', '_delete_q_' || (settings).name)
  into v_deleted, v_is_promoted
  using receipts, retry_at, (settings).grouped_at is not null;

  if v_is_promoted then
    perform queue._wake('queue_' || (settings).name);
  end if;
  return v_deleted;
end
$function$;

comment on function queue._delete_messages(queue.queue_settings, bigint[], timestamptz) is
$comment$Deletes messages; in a FIFO queue, heads of groups, whose successors are promoted, and messages that were received together with their head.
Rows are found by the ids in the receipts, as one condition on one table. The statistics of a queue are always out of date, and with a join the planner might read the whole primary key.
retry_at: when to look again at groups that an open transaction holds: see _create_queue_functions().
Returns the receipts that were alive.
Touches: the queue's table, rows by receipt; in a FIFO queue advisory locks of groups (without waiting), and successors.$comment$;
