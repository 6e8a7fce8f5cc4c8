create or replace function queue.definition_config_delete(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_users   jsonb;
  v_deleted boolean;
begin
  perform queue._ensure_migrated();
  -- Nothing is published that names it in the meantime.
  perform queue._lock_name('publish');
  select jsonb_agg('definition "' || d.name || '"' order by d.name) into v_users
  from queue.definition as d
  join queue.definition_version as v
    on v.definition_id = d.definition_id
    and v.state = 'published'
  where v.compiled #> '{references,configs}' ? definition_config_delete.name;
  if v_users is not null then
    perform queue._raise('OX026', format('value "%s" is used by %s', name, v_users ->> 0),
      jsonb_build_object('users', v_users)::text, 'Change what uses it first.');
  end if;
  delete from queue.definition_config as c where c.name = definition_config_delete.name;
  v_deleted := found;
  perform queue._record_action('config.delete', 'config', array[name], changed => v_deleted);
  return v_deleted;
end
$function$;

comment on function queue.definition_config_delete(text) is
$comment$Deletes a value of the environment, unless a published version names it. Runs in progress keep it.
Returns false if there is no such value.
Errors: OX026 the value is in use, with its users in the detail.
Touches: a lock for all publishing until the transaction ends; queue.definition_config, queue.audit; reads queue.definition_version.$comment$;
