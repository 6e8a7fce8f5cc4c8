create or replace function queue._queue_functions(name text)
returns regprocedure[]
language plpgsql
stable
parallel safe
as $function$
begin
  return array(
    select p.oid::regprocedure
    from pg_proc as p
    where p.pronamespace = 'queue'::regnamespace
      and p.proname in (
        '_send_q_' || _queue_functions.name, '_receive_q_' || _queue_functions.name,
        '_groups_q_' || _queue_functions.name, '_delete_q_' || _queue_functions.name
      )
  );
end
$function$;

comment on function queue._queue_functions(text) is
$comment$Returns the functions of a queue: see _create_queue_functions().
Returns them in no order.
Touches: nothing; reads the catalog.$comment$;
