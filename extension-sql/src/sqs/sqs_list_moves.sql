create or replace function queue.sqs_list_moves(source text, max_moves integer default 1)
returns setof queue.sqs_move
language plpgsql
volatile
security definer
as $function$
declare
  v_source queue.sqs_queue_state;
begin
  perform queue._check_count(max_moves, 'max_moves', 10, 'List between 1 and 10 tasks.');
  v_source := queue.sqs_find_queue(sqs_list_moves.source);
  return query
    select t.task_id, v_source.sqs_name, t.target, t.rate, t.moved, t.to_move, t.status, t.failure, t.started_at
    from queue.sqs_move_task as t
    where t.source = v_source.name
    order by t.task_id desc
    limit max_moves;
end
$function$;

comment on function queue.sqs_list_moves(text, integer) is
$comment$Lists the tasks that move messages out of a queue, or did: see sqs_start_move().
source: the queue, by its name for clients of SQS.
max_moves: at most this many, 1 to 10.
Returns one row per task, the newest first.
Errors: OX001 no such queue, OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.sqs_move_task.$comment$;
