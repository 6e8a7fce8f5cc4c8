create or replace function queue.definition_config_list()
returns setof queue.config_value
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.definition_config') is null then
    return;
  end if;
  return query
    select c.name, c.value, c.changed_at, c.changed_by
    from queue.definition_config as c
    order by c.name;
end
$function$;

comment on function queue.definition_config_list() is
$comment$Lists the values of the environment that definitions may name.
Returns one row per value, by name.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.definition_config.$comment$;
