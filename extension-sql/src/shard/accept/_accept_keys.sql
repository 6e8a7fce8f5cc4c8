create or replace function queue._accept_keys(body jsonb)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  -- A run that arrives by another batch at the same time would neither be seen here, nor see the row for its key.
  perform pg_advisory_xact_lock(hashtextextended('oxbow:keys', 0));
  insert into queue.key_elsewhere (run_id, shard, workflow_name, idempotency_key)
  select (k.key ->> 2)::bigint, (body ->> 'shard')::smallint, k.key ->> 0, k.key ->> 1
  from jsonb_array_elements(body -> 'keys') as k (key)
  where not exists (
    select
    from queue.fleet as f
    where f.shard = (body ->> 'shard')::smallint
  )
    and not exists (
      select
      from queue.workflow_run as r
      where r.workflow_name = k.key ->> 0
        and r.idempotency_key = k.key ->> 1
        and r.superseded_by is null
    )
  -- What is known here leads there as well.
  on conflict on constraint key_elsewhere_pkey do nothing;
end
$function$;

comment on function queue._accept_keys(jsonb) is
$comment$Notes which shard has the runs of idempotency keys whose routes are about to be at home here.
body: as _send_keys() writes it.
Touches: the advisory lock of keys (waits for runs that arrive); queue.key_elsewhere; reads queue.workflow_run, queue.fleet.$comment$;
