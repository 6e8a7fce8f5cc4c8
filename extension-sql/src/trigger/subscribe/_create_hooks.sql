create or replace function queue._create_hooks(definition_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into queue.definition_hook as h (created_at, definition_id, trigger_name, hook_id)
  select clock_timestamp(), t.definition_id, t.name, replace(gen_random_uuid()::text, '-', '')
  from queue.definition_trigger as t
  where t.definition_id = _create_hooks.definition_id
    and t.kind = 'webhook'
  order by t.name
  on conflict on constraint definition_hook_of_trigger do nothing;
end
$function$;

comment on function queue._create_hooks(bigint) is
$comment$Gives the webhook triggers of a definition that are in force their addresses, which they keep.
Touches: queue.definition_hook.$comment$;
