create or replace function queue._require_journal_size(run_ids bigint[])
returns void
language plpgsql
stable
-- plans: index, no bitmap, generic
as $function$
declare
  v_max_bytes constant bigint := queue._max_journal_bytes();
  v_over      record;
begin
  select i.run_id, j.bytes
  into v_over
  from unnest(run_ids) as i (run_id)
  cross join lateral (
    select sum(s.bytes) as bytes
    from queue.workflow_step as s
    where s.run_id = i.run_id
      and s.bytes is not null
  ) as j
  where j.bytes > v_max_bytes
  limit 1;
  if not found then
    return;
  end if;

  perform queue._raise(
    'OX008',
    (
      select format('step "%s" of %s bytes takes the journal of run %s to %s bytes', s.step_name, s.bytes, s.run_id, v_over.bytes)
      from queue.workflow_step as s
      where s.run_id = v_over.run_id
        and s.bytes is not null
      order by s.position desc
      limit 1
    ),
    format('The values of a journal have at most %s bytes in total.', v_max_bytes),
    'Store large data elsewhere and journal a reference to it, or return ctx.continueAsNew(input) before that.'
  );
end
$function$;

comment on function queue._require_journal_size(bigint[]) is
$comment$Requires that journals have at most 128 MiB: a worker must be able to receive them whole. Call it after the steps are journaled, for runs that journaled a large value or many small ones.
Errors: OX008 too large, with the last large step.
Touches: nothing; reads the sizes of large rows of queue.workflow_step.$comment$;
