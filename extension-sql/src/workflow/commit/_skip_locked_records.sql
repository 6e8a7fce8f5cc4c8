create or replace function queue._skip_locked_records(held boolean[], run_ids bigint[], transitions text[])
returns boolean[]
language plpgsql
volatile
-- plans: index, no bitmap, nested loop, generic
as $function$
declare
  v_doubtful bigint[];
  v_locked   bigint[];
begin
  -- A row that was never locked has no xmax. Most rows have no xmax, and reading it writes nothing, unlike a lock.
  select array_agg(r.run_id)
  into v_doubtful
  from unnest(run_ids, transitions, held) as i (run_id, transition, held)
  join queue.workflow_run as r on r.run_id = i.run_id
  where i.held
    and i.transition in ('complete', 'fail', 'cancel', 'retry', 'continue')
    and r.xmax <> '0';

  if v_doubtful is null then
    return held;
  end if;
  v_locked := array(
    select r.run_id
    from queue.workflow_run as r
    where r.run_id = any (v_doubtful)
    for no key update skip locked
  );
  return (
    select array_agg(
      case when i.run_id = any (v_doubtful) and not i.run_id = any (v_locked) then null else i.held end
      order by i.item
    )
    from unnest(run_ids, held) with ordinality as i (run_id, held, item)
  );
end
$function$;

comment on function queue._skip_locked_records(boolean[], bigint[], text[]) is
$comment$Leaves runs out of a commit if it would change their rows of queue.workflow_run, and another transaction has locked these.
held: as returned by _lock_leases() with skip_locked.
run_ids, transitions: as in workflow_commit().
Returns held, with null for the runs that are left out.
Touches: queue.workflow_run (SKIP LOCKED).$comment$;
