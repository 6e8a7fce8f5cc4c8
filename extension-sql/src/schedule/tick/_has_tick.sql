create or replace function queue._has_tick(msg_id bigint)
returns boolean
language plpgsql
stable
as $function$
declare
  v_is_there boolean;
begin
  if to_regclass('queue.q___schedules') is null then
    return false;
  end if;
  execute format($sql$
    select exists (select from %1$s as m where m.msg_id = $1)
  $sql$, queue._queue_table('__schedules'))
  into v_is_there
  using _has_tick.msg_id;
  return v_is_there;
end
$function$;

comment on function queue._has_tick(bigint) is
$comment$Returns whether the message of a schedule exists, which it does unless the queue was purged.
Touches: nothing; reads the table of queue __schedules.$comment$;
