create or replace function queue.delete(queue text, receipt bigint)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  return exists (select from queue.delete_batch(delete.queue, array[delete.receipt]));
end
$function$;

comment on function queue.delete(text, bigint) is
$comment$Acknowledges a delivery: the message is deleted and never delivered again. In a FIFO queue, the next message of the group becomes receivable.
Returns true; false if the receipt is dead: the message was deleted or received again. A receipt whose visibility timeout has ended stays alive until then.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow.
Touches: as delete_batch().$comment$;
