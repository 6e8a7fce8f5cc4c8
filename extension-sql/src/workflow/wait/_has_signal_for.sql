create or replace function queue._has_signal_for(run_id bigint, wait jsonb)
returns boolean
language plpgsql
stable
-- plans: index
as $function$
declare
  v_letter text;
begin
  -- Rarely, so that this is the only look.
  if not exists (select from queue.workflow_buffered_signal as b where b.run_id = _has_signal_for.run_id) then
    return false;
  end if;
  select queue._letter_event(s.subscription_id) into v_letter
  from queue.subscription as s
  where s.target_type = 'run'
    and s.target = _has_signal_for.run_id::text
    and s.options ->> 'step' = wait ->> 'step';
  return exists (select from queue._signals_for(_has_signal_for.run_id, wait, v_letter));
end
$function$;

comment on function queue._has_signal_for(bigint, jsonb) is
$comment$Returns whether an event wait has a buffered signal or message that the run has not taken yet, because it was executing when it came, and its worker has given it back or died since. The next commit of the run takes it, and one that comes before that must not overtake it.
Touches: nothing; reads queue.workflow_buffered_signal and queue.subscription.$comment$;
