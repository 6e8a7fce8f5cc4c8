create or replace function queue.resource_types()
returns setof queue.resource_type_info
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select coalesce(t.name, p.type), t.title, t.schema, coalesce(t.pool, 'default'), t.table_name, t.id_column,
      case when p.type is not null then coalesce(s.source::text, '') end, s.id_column::text, t.registered_at,
      coalesce(t.listed_at > clock_timestamp() - interval '20 minutes', false)
    from queue.resource_type as t
    full join queue.resource_protection as p on p.type = t.name
    left join lateral queue._protected_source(p.protection_id) as s on true
    order by 1;
end
$function$;

comment on function queue.resource_types() is
$comment$Lists the types of resources, as workers have registered them and protect_resource() protects them.
Returns one row per type, by name. The protected table is an empty text if the application has dropped it.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.resource_type, queue.resource_protection.$comment$;
