create or replace function queue._accept_cancel(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_run_id constant bigint := (body ->> 'run')::bigint;
begin
  if not exists (select from queue.workflow_run as r where r.run_id = v_run_id) then
    return queue._forward_item('cancel', body);
  end if;
  perform queue._cancel_one_run(v_run_id, body ->> 'reason', coalesce((body ->> 'rollback')::boolean, false));
  return 'ok';
end
$function$;

comment on function queue._accept_cancel(jsonb) is
$comment$Cancels a run of this shard for another one, whose audit has who did it.
body: as _send_cancel() writes it.
Returns ok, also if the run has ended, or has moved on, and the cancellation follows it; gone if it does not exist, or not any more.
Touches: as _cancel_one_run().$comment$;
