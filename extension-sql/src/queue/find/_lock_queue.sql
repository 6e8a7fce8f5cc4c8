create or replace function queue._lock_queue(name text)
returns void
language plpgsql
volatile
set lock_timeout = '2s'
as $function$
begin
  execute format('lock table %1$s in access exclusive mode', queue._queue_table(_lock_queue.name));
exception
  when lock_not_available then
    perform queue._raise(
      'OX009',
      format('queue "%s" is in use by an open transaction', _lock_queue.name),
      'This call blocks the queue while it waits, so it gives up after 2 seconds.',
      'Try again when that transaction has ended. Find it with pg_locks and pg_stat_activity.'
    );
end
$function$;

comment on function queue._lock_queue(text) is
$comment$Locks a whole queue exclusively until the caller's transaction ends.
Errors: OX001 no such queue, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: the queue's table (exclusively; waits).$comment$;
