create or replace function queue._letter_event(subscription_id bigint)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select ' topic:' || subscription_id
$function$;

comment on function queue._letter_event(bigint) is
$comment$Returns the event of a message that a topic has for the wait which made a subscription. No other wait takes it, and a signal can't have this name, which begins with a space.$comment$;
