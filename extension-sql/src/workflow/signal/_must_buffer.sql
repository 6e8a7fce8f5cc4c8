create or replace function queue._must_buffer(run_id bigint, message jsonb, wait jsonb, payload jsonb)
returns boolean
language plpgsql
stable
as $function$
begin
  return queue._has_signal_for(run_id, wait)
    or queue._is_journal_full(run_id, coalesce((message ->> 'journaled')::integer, 0), 1, queue._large_size(payload));
end
$function$;

comment on function queue._must_buffer(bigint, jsonb, jsonb, jsonb) is
$comment$Returns whether a signal is left to the next commit of its run, although the run isn't leased and waits for it: because an earlier one comes first, or because the journal is full.
message: the run's continuation.
wait: that the signal satisfies.
Touches: nothing; as _has_signal_for() and _is_journal_full().$comment$;
