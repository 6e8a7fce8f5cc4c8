create or replace function queue._signals_for(run_id bigint, wait jsonb, letter text)
returns table (signal_id bigint)
language sql
stable
as $function$
  select b.signal_id
  from queue.workflow_buffered_signal as b
  where b.run_id operator(pg_catalog.=) _signals_for.run_id
    and (
      b.event operator(pg_catalog.=) (wait operator(pg_catalog.->>) 'event')
        and (not wait operator(pg_catalog.?) 'match' or b.payload operator(pg_catalog.@>) (wait operator(pg_catalog.->) 'match'))
      or b.event operator(pg_catalog.=) letter
    )
$function$;

comment on function queue._signals_for(bigint, jsonb, text) is
$comment$Lists the buffered signals that an event wait of a run takes; _first_matching_wait() must agree about those that arrive. Inlined by its callers.
letter: the event of messages that come only for this wait, or null.
Touches: nothing; reads queue.workflow_buffered_signal.$comment$;
