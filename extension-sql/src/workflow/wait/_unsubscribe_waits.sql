create or replace function queue._unsubscribe_waits(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  if not exists (select from queue.subscription as s where s.target_type = 'run') then
    return;
  end if;
  with ended as (
    delete from queue.subscription as s
    where s.target_type = 'run'
      and s.target = any (run_ids::text[])
      -- Hashed once, however many waits there are.
      and (s.target, s.options ->> 'step') not in (
        select w.run_id::text, w.step_name from queue._open_waits(run_ids) as w
      )
    returning s.subscription_id, s.target
  )
  delete from queue.workflow_buffered_signal as b
  using ended as e
  where b.run_id = e.target::bigint
    and b.event = queue._letter_event(e.subscription_id);
end
$function$;

comment on function queue._unsubscribe_waits(bigint[]) is
$comment$Ends the subscriptions of runs whose steps no longer wait, and forgets messages that came for these steps. Whatever changes the waits of a continuation calls it afterwards.
Touches: queue.subscription, queue.workflow_buffered_signal; reads queue.workflow_continuation.$comment$;
