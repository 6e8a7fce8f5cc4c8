create or replace function queue.workflow_journal_page(run_id bigint, after integer default 0)
returns jsonb
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._require_current_tables();
  return (
    select jsonb_agg(
        queue._journal_json(s.step_name, s.kind, s.attempts, s.output, s.error, s.decisions) order by s.position
      )
    from (
      select w.step_name, w.kind, w.attempts, w.output, w.error, w.decisions, w.position, coalesce(w.bytes, 0) as bytes,
        sum(coalesce(w.bytes, 0) + 1000) over (order by w.position) as total
      from queue.workflow_step as w
      where w.run_id = workflow_journal_page.run_id
        and w.position > after
    ) as s
    where s.total - s.bytes < 33554432
  );
end
$function$;

comment on function queue.workflow_journal_page(bigint, integer) is
$comment$Returns part of a run's journal in the form in which workflow_receive() returns it, for workers that received the run without it.
after: how many rows the worker has.
Returns the next rows, in order, up to 32 MiB but at least one; null after the last row.
Touches: nothing; reads queue.workflow_step.$comment$;
