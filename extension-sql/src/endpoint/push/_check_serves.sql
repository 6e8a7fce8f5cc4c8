create or replace function queue._check_serves(serves jsonb)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_wrong text;
begin
  if jsonb_typeof(serves) is distinct from 'object' then
    perform queue._raise('OX004', format('serves is %s', coalesce('a JSON ' || jsonb_typeof(serves), 'null')), null,
      'Pass the versions by workflow: {"<name>": [<version>, ...]}.');
  end if;
  select s.key
  into v_wrong
  from jsonb_each(serves) as s (key, versions)
  where case
    when jsonb_typeof(s.versions) = 'array' then exists (
      select
      from jsonb_array_elements(s.versions) as v (version)
      where queue._is_number(v.version, 1, 2147483647, true) is not true
    )
    else true
  end
  order by s.key
  limit 1;
  if found then
    perform queue._raise('OX004', format('invalid versions of workflow "%s": %s', left(v_wrong, 100), left((serves -> v_wrong)::text, 100)), null,
      'Versions are a list of integers from 1 to 2147483647.');
  end if;
end
$function$;

comment on function queue._check_serves(jsonb) is
$comment$Checks the versions by workflow of an endpoint.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;
