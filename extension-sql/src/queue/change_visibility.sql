create or replace function queue.change_visibility(queue text, receipt bigint, visibility_timeout numeric)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  return exists (
    select
    from queue.change_visibility_batch(
      change_visibility.queue, array[change_visibility.receipt], change_visibility.visibility_timeout
    )
  );
end
$function$;

comment on function queue.change_visibility(text, bigint, numeric) is
$comment$Sets when a received message becomes visible again. Unless the message is deleted before that, the delivery counts towards max_receives.
visibility_timeout: seconds from now, with fractions; 0 gives the message back immediately.
Returns true; false if the receipt is dead: the message was deleted or received again.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: as change_visibility_batch().$comment$;
