create or replace function queue._await_admission_if_limited(queue_id integer, started bigint[])
returns void
language plpgsql
volatile
as $function$
declare
  v_flow constant jsonb := (select q.flow_control from queue.queue as q where q.queue_id = _await_admission_if_limited.queue_id);
begin
  if v_flow is not null then
    perform queue._await_admission(queue_id, v_flow, started);
  end if;
end
$function$;

comment on function queue._await_admission_if_limited(integer, bigint[]) is
$comment$Calls _await_admission() if the workflow has flow control, for callers that have not loaded it. Runs that are started this way are not debounced.
Touches: as _await_admission().$comment$;
