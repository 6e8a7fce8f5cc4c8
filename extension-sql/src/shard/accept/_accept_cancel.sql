create or replace function queue._accept_cancel(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._cancel_one_run(
    (body ->> 'run')::bigint, body ->> 'reason', coalesce((body ->> 'rollback')::boolean, false)
  );
  return 'ok';
end
$function$;

comment on function queue._accept_cancel(jsonb) is
$comment$Cancels a run of this shard for another one, whose audit has who did it.
body: as _send_cancel() writes it.
Returns ok, also if the run has ended.
Touches: as _cancel_one_run().$comment$;
