create or replace function queue._clear_undeliverable(
  settings      queue.queue_settings,
  undeliverable bigint[],
  expired       bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  if undeliverable is not null and (settings).dead_letter_queue is not null then
    perform queue._send_dead_letters(settings, undeliverable, v_now + interval '100 milliseconds');
  end if;
  perform queue._delete_messages(settings, undeliverable || expired, v_now + interval '1 second');
end
$function$;

comment on function queue._clear_undeliverable(queue.queue_settings, bigint[], bigint[]) is
$comment$Takes messages out of the way that a receive has leased but does not deliver: dead letters go to the dead letter queue; tombstones, and what is older than the retention of the queue, go for good. What some open transaction is in the way of is tried again by a receive, so that nobody polls busily until then: dead letters 100 ms later, tombstones less and less often, down to once a second.
undeliverable: receipts of dead letters and tombstones. expired: receipts of what is too old.
Touches: as _send_dead_letters() and _delete_messages().$comment$;
