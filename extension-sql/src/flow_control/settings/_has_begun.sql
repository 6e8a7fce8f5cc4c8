create or replace function queue._has_begun(receipt bigint, settled_receipt bigint, message jsonb)
returns boolean
language sql
as $function$
  select receipt is not null or settled_receipt is not null or coalesce(message operator(pg_catalog.?) 'waits', false)
$function$;

comment on function queue._has_begun(bigint, bigint, jsonb) is
$comment$Returns whether a worker has ever received the run of a continuation, even if it has not journaled anything.
Touches: nothing.$comment$;
