create or replace function queue.trigger_sweep(max_events integer default 1000)
returns integer
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_swept integer;
begin
  perform queue._check_count(max_events, 'max_events', 100000, 'Sweep between 1 and 100000 events at a time.');
  if not queue._migrate_if_older() then
    return 0;
  end if;
  v_swept := queue._sweep_former_pools(max_events, clock_timestamp())
    + queue._sweep_trigger_events(max_events, clock_timestamp());
  -- Last, as it keeps others from publishing until the transaction ends. If another one publishes, the next sweep will do.
  if queue._try_lock_name('publish') then
    perform queue._delete_unused_subscriptions(clock_timestamp());
  end if;
  return v_swept;
end
$function$;

comment on function queue.trigger_sweep(integer) is
$comment$Deletes events of triggers that have expired, with what became of them: 7 days after their last evaluation, 30 after a failed one. Events that wait in a pool which all definitions have left are forwarded, and subscriptions that no trigger has used for ten minutes are deleted. A server calls it. Concurrent sweepers share the work.
max_events: bound of one call, 1 to 100000, and 100 for each pool; call again until it returns 0.
Returns how many events were deleted or forwarded.
Errors: OX004 invalid argument.
Touches: as _sweep_former_pools() and _sweep_trigger_events(); a lock for all publishing, unless another transaction has it; queue.subscription.$comment$;
