create or replace function queue._shift_messages(name text, shift interval, after timestamptz, until timestamptz)
returns void
language plpgsql
volatile
as $function$
begin
  execute format($sql$
    with delayed as materialized (
      select m.msg_id
      from %1$s as m
      where m.visible_at > $2
        and (m.receipt is null or m.visible_at > $3)
      order by m.msg_id
      for no key update
    )
    update %1$s as m
    set visible_at = m.visible_at + $1
    from delayed as d
    where m.msg_id = d.msg_id
  $sql$, queue._queue_table(name))
  using shift, after, until;
end
$function$;

comment on function queue._shift_messages(text, interval, timestamptz, timestamptz) is
$comment$Shifts the times at which delayed messages of a queue become visible.
name: of the queue.
shift: by how much.
after: messages that were due by then stay.
until: the current time; messages whose lease was revoked are visible by then.
Errors: OX001 no such queue.
Touches: the queue's table, delayed rows, locked in the order of message ids.$comment$;
