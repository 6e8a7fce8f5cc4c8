create or replace function queue._create_queue_functions(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_function regprocedure;
begin
  -- Those of an older release may take other parameters.
  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('drop function %s', v_function);
  end loop;
  perform queue._create_send_function(_create_queue_functions.name, _create_queue_functions.kind);
  perform queue._create_receive_function(_create_queue_functions.name, _create_queue_functions.kind);
  perform queue._create_delete_function(_create_queue_functions.name, _create_queue_functions.kind);

  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('revoke all on function %s from public', v_function);
    execute format('comment on function %s is %L', v_function,
      format('Serves the queue "%s"; made by queue._create_queue_functions().', _create_queue_functions.name));
  end loop;
end
$function$;

comment on function queue._create_queue_functions(text, text) is
$comment$Creates or replaces the functions that contain the hot statements of a queue.
Each queue has its own table. A function for all queues would name it in dynamic SQL, which is parsed and planned at each call: two thirds of the time of sending or receiving one message, and a third for a hundred. A function per queue is planned once a session.
The arguments and results have built-in types only, so that dropping the extension leaves these functions with the tables. Their search_path is that of the session that creates them, where tests put their clock. Each migrate() that changes anything replaces them.
kind: standard or fifo.
Touches: creates queue._send_q_<name>, queue._receive_q_<name>, queue._delete_q_<name>; for a FIFO queue, queue._groups_q_<name>.$comment$;
