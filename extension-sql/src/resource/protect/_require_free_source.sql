create or replace function queue._require_free_source(type text, source regclass)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_protection record;
begin
  select p.type, s.source into v_protection
  from queue.resource_protection as p
  cross join lateral queue._protected_source(p.protection_id) as s
  where p.type = _require_free_source.type
    or s.source = _require_free_source.source
  limit 1;
  if found then
    perform queue._raise('OX004',
      format('table %s has the resources of type "%s"', v_protection.source, v_protection.type), null,
      format('Call unprotect_resource(%L) first.', v_protection.type));
  end if;
end
$function$;

comment on function queue._require_free_source(text, regclass) is
$comment$Requires a type of resources and a table that are not protected with another one.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.resource_protection.$comment$;
