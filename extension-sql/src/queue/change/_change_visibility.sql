create or replace function queue._change_visibility(
  settings           queue.queue_settings,
  receipts           bigint[],
  visibility_timeout numeric,
  is_heartbeat       boolean
)
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_timeout constant interval := queue._duration(_change_visibility.visibility_timeout, 'visibility timeout');
  v_table   constant regclass := queue._queue_table((settings).name);
  v_places  tid[];
  v_changed bigint[];
  v_latest  timestamptz;
  v_until   timestamptz;
begin
  select h.places, h.held, h.latest
  into v_places, v_changed, v_latest
  from queue._lock_messages(v_table, _change_visibility.receipts) as h;

  v_until := clock_timestamp() + v_timeout;
  execute format($sql$
    update %1$s as m
    set visible_at = $2,
      spared = case when $3 or m.spared < 0 then m.spared else ~coalesce(m.spared, 0) end
    where m.ctid = any ($1)
  $sql$, v_table)
  using v_places, v_until, is_heartbeat;

  if v_until < v_latest then
    perform queue._wake('queue_' || (settings).name);
  end if;
  return v_changed;
end
$function$;

comment on function queue._change_visibility(queue.queue_settings, bigint[], numeric, boolean) is
$comment$Sets when received messages become visible again: see change_visibility_batch().
Returns the receipts that were alive, in no order; null instead of an empty array.
Errors: OX004 invalid argument.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a client waits, once for all.$comment$;
