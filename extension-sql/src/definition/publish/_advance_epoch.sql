create or replace function queue._advance_epoch()
returns void
language plpgsql
volatile
as $function$
begin
  update queue.definition_setting as e set epoch = e.epoch + 1;
end
$function$;

comment on function queue._advance_epoch() is
$comment$Counts a change to what workers serve. The row stays locked until the transaction ends, so that the counter follows the order of commits: see _lock_epoch().
Touches: queue.definition_setting.$comment$;
