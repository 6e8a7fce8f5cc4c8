create or replace function queue._give_back_runs(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_dimensions constant integer[] := array[cardinality(run_ids)];
begin
  perform queue._move_continuations(
    run_ids, array_fill('release'::text, v_dimensions), array_fill(null::jsonb, v_dimensions),
    array_fill(null::timestamptz, v_dimensions), array_fill(true, v_dimensions), null
  );
  -- The impossible receipt 0: a repeated commit is lost again. It shows that the run may have a journal.
  update queue.workflow_continuation as m
  set settled_receipt = 0
  where m.msg_id = any (run_ids);
end
$function$;

comment on function queue._give_back_runs(bigint[]) is
$comment$Ends the leases of runs whose continuations the caller has locked, so that they are received again immediately and replayed from the journal. The delivery does not count.
Touches: as _move_continuations().$comment$;
