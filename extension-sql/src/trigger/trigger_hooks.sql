create or replace function queue.trigger_hooks(name text default null, hook_id text default null)
returns setof queue.hook
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select h.hook_id, d.name, h.trigger_name, coalesce(t.spec ->> 'verify', 'signature'), h.created_at,
      coalesce(t.spec ->> 'identical', 'once')
    from queue.definition_hook as h
    join queue.definition_trigger as t
      on t.definition_id = h.definition_id
      and t.name = h.trigger_name
      and t.kind = 'webhook'
    join queue.definition as d on d.definition_id = h.definition_id
    where (h.hook_id = trigger_hooks.hook_id or trigger_hooks.hook_id is null)
      and (
        h.definition_id = (select o.definition_id from queue.definition as o where o.name = trigger_hooks.name)
        or trigger_hooks.name is null
      )
      and num_nonnulls(trigger_hooks.name, trigger_hooks.hook_id) > 0
    order by h.trigger_name;
end
$function$;

comment on function queue.trigger_hooks(text, text) is
$comment$Lists the webhook triggers of a definition that are in force. Whoever knows an address can't deliver to it without the secret, which servers derive and the database does not have.
name: of the definition. hook_id: the webhook with this address.
Returns one row per webhook, by trigger. No row without arguments.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.definition_hook, queue.definition_trigger.$comment$;
