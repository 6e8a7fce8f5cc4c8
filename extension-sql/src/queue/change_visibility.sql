create or replace function queue.change_visibility(queue text, receipt bigint, visibility_timeout numeric)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue     constant queue.queue_settings := queue._find_queue(change_visibility.queue);
  v_timeout   constant interval := queue._duration(change_visibility.visibility_timeout, 'visibility timeout');
  v_is_sooner boolean;
begin
  execute format($sql$
    with held as materialized (
      select m.msg_id, m.visible_at
      from %1$s as m
      where m.msg_id = queue._receipt_msg_id($1)
        and m.receipt = $1
      for no key update
    )
    update %1$s as m
    set visible_at = clock_timestamp() + $2
    from held
    where m.msg_id = held.msg_id
    returning m.visible_at < held.visible_at
  $sql$, queue._queue_table(v_queue.name))
  into v_is_sooner
  using change_visibility.receipt, v_timeout;

  if v_is_sooner then
    perform queue._wake('queue_' || v_queue.name);
  end if;
  return v_is_sooner is not null;
end
$function$;

comment on function queue.change_visibility(text, bigint, numeric) is
$comment$Sets when a received message becomes visible again.
visibility_timeout: seconds from now, with fractions; 0 gives the message back at once.
Returns true; false when the receipt is dead: the message was deleted, or somebody has received it again.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow.
Touches: the queue's table, the row by receipt; NOTIFY only where somebody waits.$comment$;
