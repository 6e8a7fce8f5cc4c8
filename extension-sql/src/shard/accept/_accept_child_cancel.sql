create or replace function queue._accept_child_cancel(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_child bigint;
begin
  select r.run_id into v_child
  from queue.workflow_run as r
  where r.parent_run_id = (body ->> 'parent')::bigint
    and r.parent_step = body ->> 'step'
    and not r.is_detached;
  if not found then
    return 'gone';
  end if;
  perform queue._cancel_one_run(v_child, body ->> 'reason', (body ->> 'rollback')::boolean);
  return 'ok';
end
$function$;

comment on function queue._accept_child_cancel(jsonb) is
$comment$Cancels a run that a step of a run in another shard has invoked, if it still runs.
body: as _send_child_cancels() writes it.
Returns ok; gone if there is no such run.
Touches: as _cancel_one_run().$comment$;
