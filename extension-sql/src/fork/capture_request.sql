create or replace function queue.capture_request(run_id bigint, key text, url text, body jsonb, headers jsonb)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._ensure_migrated();
  if (octet_length(key) <= 2048) is not true then
    perform queue._raise('OX004', format('invalid key of %s bytes', octet_length(key)), null,
      'Give the idempotency key of the request, of at most 2048 bytes.');
  end if;
  if (select i.state from queue.own_incarnation as i) is distinct from 'sandbox' then
    return false;
  end if;
  insert into queue.captured_delivery (captured_at, run_id, request_key, url, message, headers)
  values (clock_timestamp(), capture_request.run_id, capture_request.key, capture_request.url,
    capture_request.body, coalesce(capture_request.headers, '{}') || jsonb_build_object('url', capture_request.url))
  on conflict (request_key) where request_key is not null do nothing;
  return found;
end
$function$;

comment on function queue.capture_request(bigint, text, text, jsonb, jsonb) is
$comment$For workers: lists a request that a node has not sent, since the database is a sandbox, among captured_deliveries().
key: the idempotency key of the request: the attempts of a node are one request.
body, headers: of the request, with its method among the headers; null if absent.
Returns false if it is listed already, or the database is no sandbox.
Errors: OX004 invalid argument.
Touches: queue.captured_delivery.$comment$;
