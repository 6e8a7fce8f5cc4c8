create or replace function queue._lock_related_runs(run_ids bigint[], others bigint[] default null)
returns void
language plpgsql
volatile
as $function$
declare
  v_family bigint[];
begin
  loop
    v_family := queue._related_runs(run_ids);
    begin
      perform queue._lock_runs(v_family || others);
      exit when queue._related_runs(run_ids) <@ v_family;
      -- While this waited for a lock, a parent has started another child. Locking the child now would be out of order,
      -- so the end of the subtransaction releases all locks, and they are taken again.
      raise sqlstate 'OX000';
    exception when sqlstate 'OX000' then
      continue;
    end;
  end loop;
end
$function$;

comment on function queue._lock_related_runs(bigint[], bigint[]) is
$comment$Locks all continuations that a cancellation changes: of the runs, of the runs that they wait for, and of their parents, in the order that commits use, so that no deadlock is possible. Afterwards no transaction can start another child of theirs.
others: runs to lock with them.
Touches: queue.workflow_continuation.$comment$;
