create or replace function queue._pack_runs(run_ids bigint[])
returns jsonb
language plpgsql
volatile
set datestyle = 'ISO'
set intervalstyle = 'postgres'
set extra_float_digits = 1
as $function$
declare
  v_max_bytes constant bigint := 16777216::bigint;
  v_packed    jsonb := '{}'::jsonb;
  v_bytes     bigint := 0::bigint;
  v_table     record;
  v_size      bigint;
  v_rows      jsonb;
begin
  for v_table in
    select t.table_name, t.run_column from queue._run_tables() as t
  loop
    execute format('select sum(octet_length(t::text)) from queue.%I as t where t.%I = any ($1)',
      v_table.table_name, v_table.run_column)
      into v_size using run_ids;
    v_bytes := v_bytes + coalesce(v_size, 0);
    if (v_bytes <= v_max_bytes) is not true then
      perform queue._raise('OX004', format('run %s can''t move: it has more than 16 MiB, with its family', run_ids[1]), null,
        'Let it end here.');
    end if;
    -- Texts of rows, since JSON does not distinguish a null of JSON from one of SQL.
    execute format('select jsonb_agg(t::text order by t) from queue.%I as t where t.%I = any ($1)',
      v_table.table_name, v_table.run_column)
      into v_rows using run_ids;
    if v_rows is not null then
      v_packed := v_packed || jsonb_build_object(v_table.table_name, v_rows);
    end if;
  end loop;
  return v_packed;
end
$function$;

comment on function queue._pack_runs(bigint[]) is
$comment$Returns all rows of runs, as texts by table, for _unpack_runs() of another shard.
Errors: OX004 they are too large.
Touches: nothing; reads the tables of _run_tables().$comment$;
