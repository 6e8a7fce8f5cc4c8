create or replace function queue._complete_rows(table_name text, packed jsonb)
returns jsonb
language plpgsql
stable
as $function$
declare
  v_fields   integer;
  v_defaults text;
  v_added    text;
begin
  -- Texts of rows have commas, and double their quotes, only between quotes. All rows have the same fields.
  select length(f.bare) - length(replace(f.bare, ',', '')) + 1 into v_fields
  from regexp_replace(packed ->> 0, '"[^"]*"', '', 'g') as f (bare);
  select string_agg(c.value, ', ' order by c.n) into v_defaults
  from (
    select row_number() over (order by a.attnum) as n, coalesce(pg_get_expr(d.adbin, d.adrelid), 'null') as value
    from pg_attribute as a
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = to_regclass(format('queue.%I', table_name))
      and a.attnum > 0
      and not a.attisdropped
  ) as c
  where c.n > v_fields;
  if v_defaults is null then
    return packed;
  end if;
  execute format('select row(%s)::text', v_defaults) into v_added;
  return (
    select jsonb_agg(left(i.packed_row, -1) || ',' || substr(v_added, 2) order by i.position)
    from jsonb_array_elements_text(packed) with ordinality as i (packed_row, position)
  );
end
$function$;

comment on function queue._complete_rows(text, jsonb) is
$comment$Returns rows that an older release has packed, with the columns that migrations have appended since, as these give them to rows that exist: null, or the default.
table_name: of schema queue.
packed: texts of rows.
Touches: nothing; reads the catalog.$comment$;
