create or replace function queue._signal_outcome(run_id bigint, deduplication_id text)
returns text
language plpgsql
stable
as $function$
declare
  v_outcome text;
begin
  select d.outcome into v_outcome
  from queue.workflow_signal_receipt as d
  where d.run_id = _signal_outcome.run_id
    and d.deduplication_id = _signal_outcome.deduplication_id;
  return coalesce(v_outcome, 'ignored');
end
$function$;

comment on function queue._signal_outcome(bigint, text) is
$comment$Returns the outcome of an earlier signal with the same deduplication id.
Returns ignored if there was no such signal.
Touches: nothing; reads queue.workflow_signal_receipt.$comment$;
