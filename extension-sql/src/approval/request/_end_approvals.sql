create or replace function queue._end_approvals(run_ids bigint[], withdrawn_at timestamptz, step text default null)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  update queue.approval as a
  set outcome = 'withdrawn',
    ended_at = withdrawn_at
  where a.run_id = any (run_ids)
    and a.ended_at is null
    and (step is null or a.step_name = step);
end
$function$;

comment on function queue._end_approvals(bigint[], timestamptz, text) is
$comment$Ends the open requests of runs that no longer wait for them. The caller has locked the continuations.
step: ends only that of this step; null ends all.
Touches: queue.approval.$comment$;
