create or replace function queue.definition_config_set(name text, value jsonb)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._ensure_migrated();
  perform queue._check_resource_name(name, 'name of a value');
  if value is null then
    perform queue._raise('OX004', format('"%s" has no value', name), null, 'Give JSON, which may be null.');
  end if;
  if (octet_length(value::text) > 65536) is true then
    perform queue._raise('OX008', format('value "%s" has %s bytes', name, octet_length(value::text)), null,
      'A value has at most 65536 bytes, since each run that names it journals it.');
  end if;
  insert into queue.definition_config as c (changed_at, name, changed_by, value)
  values (clock_timestamp(), definition_config_set.name, (queue._actor()).name, definition_config_set.value)
  on conflict on constraint definition_config_pkey do update
  set changed_at = excluded.changed_at,
    changed_by = excluded.changed_by,
    value = excluded.value
  where c.value <> excluded.value;
  v_changed := found;
  perform queue._record_action('config.set', 'config', array[name], changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.definition_config_set(text, jsonb) is
$comment$Sets a value of the environment, which documents name by $config and in expressions. Runs that start after the commit have it; runs in progress keep the value with which they began.
name: 1 to 256 characters.
value: at most 64 KiB. It is no secret: readers see it, and journals have it.
Returns false if it had this value.
Errors: OX004 invalid argument, OX008 value too large.
Touches: queue.definition_config, queue.audit.$comment$;
