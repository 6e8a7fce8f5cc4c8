create or replace function queue._lock_family(run_id bigint)
returns bigint[]
language plpgsql
volatile
as $function$
declare
  v_family bigint[];
begin
  loop
    v_family := queue._run_family(run_id);
    begin
      perform queue._lock_runs(v_family);
      -- Retries revive ended runs under the lock of their rows.
      perform r.run_id
      from queue.workflow_run as r
      where r.run_id = any (v_family)
      order by r.run_id
      for update;
      perform queue._lock_runs(v_family);
      exit when queue._run_family(run_id) = v_family;
      -- While this waited for a lock, a run has invoked another one, or was deleted. The end of the subtransaction
      -- releases all locks, and they are taken again.
      raise sqlstate 'OX000';
    exception when sqlstate 'OX000' then
      continue;
    end;
  end loop;
  if (v_family <> '{}') is not true then
    perform queue._raise_run_not_found(run_id);
  end if;
  return v_family;
end
$function$;

comment on function queue._lock_family(bigint) is
$comment$Locks a run and all that have to be in one shard with it. Until the transaction ends, nothing can change them.
Returns the runs, in the order of their ids.
Errors: OX005 no such run; OX028 it is in another shard; OX029 it has moved.
Touches: queue.workflow_continuation, queue.workflow_run.$comment$;
