create or replace function queue._unheld_outcome(name text, run_id bigint, receipt bigint)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_status   text;
  v_ended_by bigint;
  v_settled  boolean := false;
begin
  select r.status::text, r.ended_by
  into v_status, v_ended_by
  from queue.workflow_run as r
  where r.run_id = _unheld_outcome.run_id;

  if v_status = 'running' and queue._workflow_table(name) is not null then
    execute format($sql$
      select exists (select from %1$s as m where m.msg_id = $1 and m.settled_receipt = $2)
    $sql$, queue._workflow_table(name))
    into v_settled
    using run_id, receipt;
  end if;

  return case
    when v_settled or v_ended_by = receipt then 'ok'
    when v_status = 'cancelled' then 'cancelled'
    else 'lost'
  end;
end
$function$;

comment on function queue._unheld_outcome(text, bigint, bigint) is
$comment$What to answer to a worker whose receipt is dead.
Returns ok when that receipt has made the last transition of the run already (its answer was lost on the way), cancelled, or lost.
Touches: nothing; reads the run and its continuation.$comment$;
