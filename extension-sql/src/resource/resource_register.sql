create or replace function queue.resource_register(
  names       text[],
  titles      text[] default null,
  schemas     jsonb[] default null,
  table_names text[] default null,
  id_columns  text[] default null,
  pool        text default 'default',
  listed      boolean[] default null,
  replace     boolean default true
)
returns integer
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_replace constant boolean := coalesce(replace, true);
  v_changed integer;
begin
  perform queue._ensure_migrated();
  perform queue._check_resource_name(n.name, 'type of resources') from unnest(names) as n (name);
  perform queue._check_resource_name(pool, 'pool');
  if exists (
    select
    from unnest(names, titles, schemas, table_names, id_columns, listed)
      as i (name, title, schema, table_name, id_column, is_listed)
    where i.name is null
      or jsonb_typeof(i.schema) not in ('object', 'boolean', 'null')
      or (i.table_name is null) <> (i.id_column is null)
  ) then
    perform queue._raise('OX004', 'invalid type of resources', null,
      'Each type has a name. A schema is a JSON Schema, and a table is given with the column of the ids.');
  end if;
  -- Usually nothing has changed, and nothing is written.
  insert into queue.resource_type as t (
    registered_at, name, title, pool, table_name, id_column, schema, last_seen_at, listed_at
  )
  select case when o.is_same or o.is_kept then o.registered_at else v_now end, g.name,
    r.title, r.pool, r.table_name, r.id_column, r.schema, case when o.is_kept then o.last_seen_at else v_now end,
    greatest(o.listed_at, case when g.is_listed then v_now end)
  from (
    select distinct on (i.name) i.name, i.title, i.table_name, i.id_column, i.schema, coalesce(i.is_listed, false) as is_listed
    from unnest(names, titles, schemas, table_names, id_columns, listed)
      as i (name, title, schema, table_name, id_column, is_listed)
    order by i.name
  ) as g
  left join lateral (
    select w.*, s.is_same, not (s.is_same or v_replace) and w.last_seen_at >= v_now - interval '20 minutes' as is_kept
    from queue.resource_type as w
    cross join lateral (
      select (w.title, w.pool, w.table_name, w.id_column, w.schema)
        is not distinct from (g.title, resource_register.pool, g.table_name, g.id_column, g.schema) as is_same
    ) as s
    where w.name = g.name
  ) as o on true
  cross join lateral (
    -- A starting worker replaces it; otherwise it stays while its workers report it.
    select o.title, o.pool, o.table_name, o.id_column, o.schema where o.is_kept
    union all
    select g.title, resource_register.pool, g.table_name, g.id_column, g.schema where o.is_kept is not true
  ) as r
  where case
      when o.name is null then true
      when o.is_kept then false
      when o.is_same then coalesce(o.last_seen_at < v_now - interval '10 minutes', true)
      else true
    end
    or g.is_listed and coalesce(o.listed_at < v_now - interval '10 minutes', true)
  -- Always in this order, so that two workers that start at the same time don't deadlock.
  order by g.name
  on conflict on constraint resource_type_pkey do update
  set registered_at = excluded.registered_at,
    title = excluded.title,
    pool = excluded.pool,
    table_name = excluded.table_name,
    id_column = excluded.id_column,
    schema = excluded.schema,
    last_seen_at = excluded.last_seen_at,
    listed_at = greatest(t.listed_at, excluded.listed_at);
  get diagnostics v_changed = row_count;
  return v_changed;
end
$function$;

comment on function queue.resource_register(text[], text[], jsonb[], text[], text[], text, boolean[], boolean) is
$comment$For workers: registers types of resources, so that checkers and editors know their schemas. A worker calls it when it starts and every 5 minutes. Types that are registered already and were reported within 10 minutes are not written.
names, titles, schemas, table_names, id_columns, listed: parallel arrays with one element per type; an element may be null or missing. schemas are JSON Schemas of a resource.
table_names, id_columns: where the application stores the resources, as information; protect_resource() protects them.
pool: workers that know these types.
listed: whether the workers list resources of the type, for pickers. A worker that doesn't leaves it to others that do.
replace: whether to replace what is registered. False replaces it only if no worker has reported it for 20 minutes, so that an old worker does not undo what a newer one has registered, and what an old one has registered last ends with it.
Returns how many types were written.
Errors: OX004 invalid argument.
Touches: queue.resource_type.$comment$;
