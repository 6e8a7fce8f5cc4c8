create or replace function queue._require_code(names text[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_name constant text := (
    select d.name from queue.definition as d where d.name = any (names) order by d.name limit 1
  );
begin
  if v_name is not null then
    perform queue._raise('OX016', format('"%s" is the name of a definition', v_name), null,
      'Rename the workflow in code, or delete the definition. Workers serve definitions by createDefinitions().');
  end if;
end
$function$;

comment on function queue._require_code(text[]) is
$comment$Requires names of workflows that no definition has.
Errors: OX016 name taken.
Touches: nothing; reads queue.definition.$comment$;
