create or replace function queue._give_back(settings queue.queue_settings, receipts bigint[], delay_seconds numeric)
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_delay  constant interval := queue._duration(_give_back.delay_seconds, 'delay');
  v_table  constant regclass := queue._queue_table((settings).name);
  v_places tid[];
  v_given  bigint[];
  v_latest timestamptz;
  v_until  timestamptz;
begin
  select h.places, h.held, h.latest
  into v_places, v_given, v_latest
  from queue._lock_messages(v_table, _give_back.receipts) as h;

  v_until := clock_timestamp() + v_delay;
  execute format($sql$
    update %1$s as m
    set receipt = null,
      visible_at = $2,
      read_ct = m.read_ct - 1,
      spared = case when m.spared < 0 then ~m.spared else m.spared end
    where m.ctid = any ($1)
  $sql$, v_table)
  using v_places, v_until;

  if v_until < v_latest then
    perform queue._wake('queue_' || (settings).name);
  end if;
  return v_given;
end
$function$;

comment on function queue._give_back(queue.queue_settings, bigint[], numeric) is
$comment$Gives received messages back without counting their delivery: see give_back_batch().
Returns the receipts that were alive, in no order; null instead of an empty array.
Errors: OX004 invalid argument.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a consumer listens, once for all.$comment$;
