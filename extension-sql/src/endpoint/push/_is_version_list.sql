create or replace function queue._is_version_list(versions jsonb)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when jsonb_typeof(versions) = 'array' then not exists (
      select
      from jsonb_array_elements(versions) as v (version)
      where case
        when jsonb_typeof(v.version) = 'number' then
          v.version::numeric not between 1 and 2147483647 or v.version::numeric % 1 <> 0
        else true
      end
    )
    else false
  end
$function$;

comment on function queue._is_version_list(jsonb) is
$comment$Returns whether a value is a list of versions of a workflow.
Touches: nothing.$comment$;
