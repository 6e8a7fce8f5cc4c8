create or replace function queue.resource_register(
  names       text[],
  titles      text[] default null,
  schemas     jsonb[] default null,
  table_names text[] default null,
  id_columns  text[] default null,
  pool        text default 'default',
  listed      boolean[] default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_changed integer;
begin
  perform queue._ensure_migrated();
  perform queue._check_resource_name(n.name, 'type of resources') from unnest(names) as n (name);
  perform queue._check_resource_name(pool, 'pool');
  if exists (
    select
    from unnest(names, schemas, table_names, id_columns) as i (name, schema, table_name, id_column)
    where jsonb_typeof(i.schema) not in ('object', 'boolean', 'null')
      or (i.table_name is null) <> (i.id_column is null)
  ) then
    perform queue._raise('OX004', 'invalid type of resources', null,
      'A schema is a JSON Schema, and a table is given with the column of the ids.');
  end if;
  -- Usually nothing has changed, and nothing is written.
  insert into queue.resource_type as t (registered_at, name, title, pool, table_name, id_column, schema, is_listed)
  select distinct on (i.name)
    clock_timestamp(), i.name, i.title, resource_register.pool, i.table_name, i.id_column, i.schema, coalesce(i.is_listed, false)
  from unnest(names, titles, schemas, table_names, id_columns, listed) as i (name, title, schema, table_name, id_column, is_listed)
  where not exists (
    select
    from queue.resource_type as o
    where o.name = i.name
      and (o.title, o.pool, o.table_name, o.id_column, o.schema, o.is_listed)
        is not distinct from (
          i.title, resource_register.pool, i.table_name, i.id_column, i.schema, coalesce(i.is_listed, false)
        )
  )
  -- Always in this order, so that two workers that start at the same time don't deadlock.
  order by i.name
  on conflict on constraint resource_type_pkey do update
  set registered_at = excluded.registered_at,
    title = excluded.title,
    pool = excluded.pool,
    table_name = excluded.table_name,
    id_column = excluded.id_column,
    schema = excluded.schema,
    is_listed = excluded.is_listed;
  get diagnostics v_changed = row_count;
  return v_changed;
end
$function$;

comment on function queue.resource_register(text[], text[], jsonb[], text[], text[], text, boolean[]) is
$comment$Registers types of resources, as workers that serve definitions do when they start, so that checkers and editors know their schemas. The last worker to register a type wins.
names, titles, schemas, table_names, id_columns, listed: parallel arrays with one element per type; an element that is null or missing means none. schemas are JSON Schemas of a resource.
table_names, id_columns: where the application stores the resources, as information; protect_resource() protects them.
pool: workers that know these types.
listed: whether the workers list resources of the type, for pickers.
Returns how many types are new or have changed.
Errors: OX004 invalid argument.
Touches: queue.resource_type.$comment$;
