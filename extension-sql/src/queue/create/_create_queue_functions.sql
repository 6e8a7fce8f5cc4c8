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
  perform queue._create_send_function(_create_queue_functions.name, _create_queue_functions.kind);
  perform queue._create_receive_function(_create_queue_functions.name, _create_queue_functions.kind);
  perform queue._create_delete_function(_create_queue_functions.name, _create_queue_functions.kind);

  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('revoke all on function %s from public', v_function);
    execute format('comment on function %s is %L', v_function,
      format('Of the queue "%s": made by queue._create_queue_functions().', _create_queue_functions.name));
  end loop;
end
$function$;

comment on function queue._create_queue_functions(text, text) is
$comment$Makes the functions that hold the statements of a queue's hot path, or makes them anew.
A queue has a table of its own, so a function for all queues can name it in dynamic SQL only, which is parsed and planned at each call: that took two thirds of the time of sending or receiving a single message, and a third of that of a hundred. In a function of its own, a statement is planned once a session.
kind: standard or fifo. Their arguments and results are of types of PostgreSQL's own, so that the extension can be dropped, and leaves them with the tables. Their search_path is that of whoever makes them, which is where a test finds its own clock. Every migrate() that changes anything makes them anew.
Touches: creates queue._send_q_<name>, queue._receive_q_<name>, queue._delete_q_<name>.$comment$;
