create or replace function queue._filter_leaves(filter jsonb)
returns table (path text, hash bigint)
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  with recursive node (path, value) as (
    select '{}'::text[], filter
    where jsonb_typeof(filter) = 'object'
    union all
    select n.path || e.key, e.value
    from node as n
    cross join lateral jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end) as e
  )
  select n.path::text, jsonb_hash_extended(n.value, 0)
  from node as n
  where jsonb_typeof(n.value) not in ('object', 'array')
    -- A row of the index has at most 2.7 kB.
    and octet_length(n.path::text) <= 2000
$function$;

comment on function queue._filter_leaves(jsonb) is
$comment$Lists the values of a filter by which an index can find it, at paths of object keys of at most 2000 bytes.
Returns the path and the hash of each.$comment$;
