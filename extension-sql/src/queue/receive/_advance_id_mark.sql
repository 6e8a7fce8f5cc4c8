create or replace function queue._advance_id_mark(queue text, last_id bigint)
returns void
language plpgsql
volatile
-- plans: index, no bitmap, no sort
as $function$
declare
  v_table    constant regclass := queue._queue_table(_advance_id_mark.queue);
  v_mark     queue.id_mark;
  v_least_id bigint;
begin
  select o.mark_id, o.least_id, o.last_id, o.horizon, o.queue_name
  into v_mark
  from queue.id_mark as o
  where o.queue_name = _advance_id_mark.queue
  order by o.mark_id desc
  limit 1;

  if found then
    if not queue._have_writers_ended(v_table, v_mark.horizon, pg_current_snapshot()) then
      return;
    end if;
    execute format($sql$
      select coalesce((
        select m.msg_id
        from %1$s as m
        where m.msg_id between $1 and $2
        order by m.msg_id
        limit 1
      ), $2)
    $sql$, v_table)
    into v_least_id
    using coalesce(v_mark.least_id, -9223372036854775808), v_mark.last_id;
  elsif last_id is null then
    return;
  end if;

  insert into queue.id_mark (least_id, last_id, horizon, queue_name)
  values (
    v_least_id, greatest(v_mark.last_id, _advance_id_mark.last_id), pg_current_xact_id(), _advance_id_mark.queue
  );
  -- Finds it only by its key: older marks are dead, but a scan would read them for as long as an old snapshot is held.
  delete from queue.id_mark as o
  where o.queue_name = _advance_id_mark.queue
    and o.mark_id = any (array(
      select l.mark_id
      from queue.id_mark as l
      where l.queue_name = _advance_id_mark.queue
        and l.mark_id = v_mark.mark_id
      for update skip locked
    ));
end
$function$;

comment on function queue._advance_id_mark(text, bigint) is
$comment$Advances the id from which sends to a FIFO queue search for heads of groups, if that is safe.
As in _advance_ready_mark(), with ids in place of times: a sender gets its transaction id before it draws a message id. So a transaction with a later id than the mark's draws ids greater than any message received by then. Once all earlier transactions have ended, no message is or will be below the least of that id and the existing ones.
last_id: the greatest id of a message that this transaction received before it had its own id, or null.
Touches: reads the primary key from one mark to the next, up to its first live entry; queue.id_mark.$comment$;
