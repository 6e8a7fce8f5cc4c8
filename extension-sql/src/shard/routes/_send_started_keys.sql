create or replace function queue._send_started_keys(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- While no route is about to leave, the table has no page to read.
  if exists (select from queue.leaving_home as h where h.ctid >= '(0,0)') then
    perform queue._send_arrived_keys(run_ids);
  end if;
end
$function$;

comment on function queue._send_started_keys(bigint[]) is
$comment$Sends the idempotency keys of runs that have just been started to the shard that their routes are about to move to: sessions cache run ids, so the calls of the move may have gone past theirs.
Touches: reads queue.leaving_home; as _send_arrived_keys().$comment$;
