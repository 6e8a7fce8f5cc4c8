create or replace function queue.unsubscribe(id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  delete from queue.subscription as s where s.subscription_id = unsubscribe.id;
  return found;
end
$function$;

comment on function queue.unsubscribe(bigint) is
$comment$Ends a subscription: messages published after the commit do not go there. Deliveries to its url that are still queued become dead letters.
Returns true; false if the subscription does not exist.
Touches: queue.subscription.$comment$;
