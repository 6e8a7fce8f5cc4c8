create or replace function queue._is_mark_due(
  mark        queue.queue_mark,
  received_at timestamptz,
  took        interval,
  received    integer
)
returns boolean
language sql
stable
parallel safe
as $function$
  select case
    when (mark).taken_at is null or (mark).taken_at operator(pg_catalog.>) received_at
      then received operator(pg_catalog.>) 0
    -- Much was read for little: the mark is far behind.
    when received operator(pg_catalog.=) 0
      then took operator(pg_catalog.>) '5 milliseconds'::pg_catalog.interval
        and (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '1 second'::pg_catalog.interval)
    when took operator(pg_catalog.>) (
        '1500 microseconds'::pg_catalog.interval
        operator(pg_catalog.+) (received operator(pg_catalog.*) '10 microseconds'::pg_catalog.interval)
      )
      then (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '10 milliseconds'::pg_catalog.interval)
    when took operator(pg_catalog.>) (
        '500 microseconds'::pg_catalog.interval
        operator(pg_catalog.+) (received operator(pg_catalog.*) '6 microseconds'::pg_catalog.interval)
      )
      then (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '25 milliseconds'::pg_catalog.interval)
    -- An occasional message does not wait for a mark each time.
    else (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '1 second'::pg_catalog.interval)
      or (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '100 milliseconds'::pg_catalog.interval)
        and pg_catalog.age((mark).horizon::pg_catalog.xid) operator(pg_catalog.>) 30
  end
$function$;

comment on function queue._is_mark_due(queue.queue_mark, timestamptz, interval, integer) is
$comment$Returns whether a receive should advance the mark of its queue. A receive that quickly found nothing should not, so that an idle consumer writes nothing. Inlined where it is used.
received_at: when the receive began.
took: how long it has taken.
received: how many messages it found.$comment$;
