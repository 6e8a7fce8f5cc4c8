create or replace function queue._clear_undeliverable(
  settings      queue.queue_settings,
  undeliverable bigint[],
  expired       bigint[]
)
returns void
language plpgsql
volatile
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
$comment$Removes messages that a receive has leased but must not deliver: dead letters move to the dead letter queue; tombstones, and messages older than the queue's retention, are deleted. If an open transaction prevents that, a later receive tries again: after 100 ms for dead letters, and at growing intervals of up to a second for tombstones.
undeliverable: receipts of dead letters and tombstones.
expired: receipts of messages that are too old.
Touches: as _send_dead_letters() and _delete_messages().$comment$;
