create or replace function queue._delete_unused_subscriptions(moment timestamptz)
returns void
language sql
volatile
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
  delete from queue.subscription as s
  where s.options ? 'unused_since'
    and s.target_type = 'definition'
    and (s.options ->> 'unused_since')::timestamptz < moment - interval '10 minutes'
    and not exists (select from queue.definition_trigger as t where t.subscription_id = s.subscription_id)
$function$;

comment on function queue._delete_unused_subscriptions(timestamptz) is
$comment$Deletes subscriptions of pools that no trigger has used for ten minutes. The caller holds the lock for all publishing.
Touches: queue.subscription; reads queue.definition_trigger.$comment$;
