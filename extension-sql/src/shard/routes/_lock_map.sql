create or replace function queue._lock_map()
returns void
language plpgsql
volatile
set lock_timeout = '50ms'
as $function$
begin
  perform
  from queue.fleet as f
  for no key update;
end
$function$;

comment on function queue._lock_map() is
$comment$Keeps other changes of this shard's copy of the map waiting until the transaction ends. A change takes it before it locks slots: nothing that starts runs waits for it meanwhile.
Errors: 55P03 another change takes longer than 50 ms.
Touches: queue.fleet (row lock).$comment$;
