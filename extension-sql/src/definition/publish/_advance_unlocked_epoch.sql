create or replace function queue._advance_unlocked_epoch()
returns void
language plpgsql
volatile
as $function$
begin
  update queue.definition_setting as e
  set epoch = e.epoch + 1
  where e.is_the_only_one in (select s.is_the_only_one from queue.definition_setting as s for update skip locked);
end
$function$;

comment on function queue._advance_unlocked_epoch() is
$comment$Counts a change, as _advance_epoch(), without waiting: where another transaction has locked the counter, its count stands for this change as well, if it counts and is committed later; otherwise readers of the counter learn of this change with the next one. For callers that have locked a definition already, and for commits of workers, which wait for no publish.
Touches: queue.definition_setting (SKIP LOCKED).$comment$;
