create or replace function queue._cancel_tick(name text)
returns void
language plpgsql
volatile
as $function$
declare
  v_msg_id bigint;
begin
  select s.msg_id into v_msg_id
  from queue.schedule as s
  where s.name = _cancel_tick.name;
  if v_msg_id is null then
    return;
  end if;

  -- An administrator may have dropped the queue.
  if to_regclass('queue.q___schedules') is not null then
    execute format($sql$
      delete from %1$s as m where m.msg_id = $1
    $sql$, queue._queue_table('__schedules'))
    using v_msg_id;
  end if;
  update queue.schedule as s
  set msg_id = null
  where s.name = _cancel_tick.name;
end
$function$;

comment on function queue._cancel_tick(text) is
$comment$Deletes the message that is the next tick of a schedule, even if a ticker has received it: the receipt is then dead, and the tick is not carried out.
name: of a schedule whose row the caller has locked.
Touches: queue.schedule, the table of queue __schedules.$comment$;
