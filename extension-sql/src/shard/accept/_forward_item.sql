create or replace function queue._forward_item(kind text, body jsonb)
returns text
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_run_id  constant bigint := (body ->> 'run')::bigint;
  v_target  smallint;
  v_is_back boolean;
begin
  -- One statement, so that a run that comes back is always in exactly one of the tables.
  select e.shard, m.msg_id is not null
  into v_target, v_is_back
  from (values (v_run_id)) as i (run_id)
  left join queue.elsewhere as e on e.run_id = i.run_id
  left join queue.workflow_continuation as m on m.msg_id = i.run_id;
  if v_is_back is not false then
    perform queue._raise('40001', format('run %s has come back since it was looked for', v_run_id), null, 'Repeat the batch.');
  end if;
  if v_target is null then
    return 'gone';
  end if;
  perform queue._send_item(v_target, kind, null, body);
  return 'ok';
end
$function$;

comment on function queue._forward_item(text, jsonb) is
$comment$Sends an item for a run that is not here to the shard that the run has moved to.
kind, body: as in queue.outbox.
Returns ok; gone if the run has not moved, and so has ended or does not exist any more.
Errors: 40001 it has come back: repeat the batch.
Touches: as _send_item(); reads queue.elsewhere, queue.workflow_continuation.$comment$;
