create or replace function queue.definition_config_list(names text[] default null)
returns setof queue.config_value
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select c.name, c.value, c.changed_at, c.changed_by
    from queue.definition_config as c
    where names is null
      or c.name = any (names)
    order by c.name;
end
$function$;

comment on function queue.definition_config_list(text[]) is
$comment$Lists the values of the environment that definitions may name.
names: only these; null means all.
Returns one row per value, by name.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.definition_config.$comment$;
