create or replace function queue._lock_epoch()
returns void
language plpgsql
volatile
as $function$
begin
  perform from queue.definition_setting as e for update;
end
$function$;

comment on function queue._lock_epoch() is
$comment$Locks the counter of changes to definitions until the transaction ends. A transaction that counts a change takes this lock after the one for all publishing, and before it locks a definition, so that two of them don't deadlock.
Touches: queue.definition_setting.$comment$;
