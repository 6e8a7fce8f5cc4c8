create or replace function queue.audit_sweep(retention_days integer, max_entries integer default 10000)
returns integer
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_swept integer;
begin
  if (retention_days between 7 and 36500) is not true then
    perform queue._raise('OX004', format('invalid retention of %s days', coalesce(retention_days::text, 'null')), null,
      'The audit is kept for 7 to 36500 days.');
  end if;
  perform queue._check_count(max_entries, 'max_entries', 100000, 'Sweep between 1 and 100000 entries at a time.');
  if not queue._migrate_if_older() then
    return 0;
  end if;
  with expired as materialized (
    select a.acted_at, a.audit_id
    from queue.audit as a
    where a.acted_at < clock_timestamp() - make_interval(days => retention_days)
    order by a.acted_at, a.audit_id
    limit max_entries
    for update skip locked
  )
  delete from queue.audit as a
  using expired
  where a.acted_at = expired.acted_at
    and a.audit_id = expired.audit_id;
  get diagnostics v_swept = row_count;
  return v_swept;
end
$function$;

comment on function queue.audit_sweep(integer, integer) is
$comment$Deletes entries of the audit that are past their retention, oldest first. A server calls it with OXBOW_AUDIT_RETENTION_DAYS. Concurrent sweepers share the work.
retention_days: 7 to 36500. The last week can't be deleted by this function, so that an administrator can't remove the traces of an action.
max_entries: bound of one call, 1 to 100000; call again while it returns that many.
Returns how many entries were deleted.
Errors: OX004 invalid argument.
Touches: queue.audit (SKIP LOCKED).$comment$;
