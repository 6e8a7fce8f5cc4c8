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
$comment$Ends a subscription: what is published after the commit does not go there. What is under way is delivered.
Returns false when there was no such subscription.
Touches: queue.subscription.$comment$;
