create or replace function queue.schedule_receive(
  max_ticks          integer default 1,
  visibility_timeout integer default null
)
returns setof queue.delivery
language plpgsql
volatile
security definer
as $function$
begin
  if to_regclass('queue.q___schedules') is null then
    return;
  end if;
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, null::text, d.message, d.headers
    from queue._receive(queue._internal_queue('__schedules'), max_ticks, visibility_timeout, null, 0) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message, headers);
end
$function$;

comment on function queue.schedule_receive(integer, integer) is
$comment$For tickers: receives schedules whose next tick is due. schedule_tick() carries the ticks out, and describes the message.
max_ticks: 1 to 10000. visibility_timeout: seconds; null means 30.
Returns a row for each schedule, the one that has been due longest first.
Errors: OX004 invalid argument.
Touches: as receive(), queue __schedules.$comment$;
