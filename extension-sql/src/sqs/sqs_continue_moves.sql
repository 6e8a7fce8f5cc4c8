create or replace function queue.sqs_continue_moves()
returns double precision
language plpgsql
volatile
security definer
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_task_id bigint;
begin
  if not queue._migrate_if_older() then
    return null;
  end if;
  if not exists (select from queue.sqs_move_task as t where t.status = 'running') or queue._must_hold(false) then
    return null;
  end if;
  -- A task that is due much later was moved on while the clock was ahead.
  select t.task_id
  into v_task_id
  from queue.sqs_move_task as t
  where t.status = 'running'
    and (t.due_at <= v_now or t.due_at > v_now + interval '1 minute')
  order by t.due_at, t.task_id
  limit 1
  for no key update skip locked;
  if v_task_id is not null then
    perform queue._move_slice(v_task_id, v_now);
  end if;
  return (
    select case when count(*) > 0 then greatest(extract(epoch from min(t.due_at) - clock_timestamp()), 0)::double precision end
    from queue.sqs_move_task as t
    where t.status = 'running'
  );
end
$function$;

comment on function queue.sqs_continue_moves() is
$comment$For servers: moves the next messages of the task that has been due for longest, at most 100 and no more than a fifth of what it moves in a second. The task is due again after the time that its rate gives these messages. It is locked only in the transaction of the call, so another server continues the task of one that is killed.
A task is completed once it has moved as many messages as it found, or no message is left that is not in flight. While no message can be moved, for example because a transaction holds a message group, it is due again after a second. It fails if its target is gone, if no message is left whose queue is known, or if no message could be moved for a minute.
Returns the seconds until a task is due, 0 if one is due now; null if no task is running, or while the database is held as a copy: see release_incarnation().
Touches: queue.sqs_move_task (SKIP LOCKED), and as move_messages() or redrive(), without queue.audit.$comment$;
