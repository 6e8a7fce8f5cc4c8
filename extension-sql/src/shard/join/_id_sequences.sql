create or replace function queue._id_sequences()
returns setof oid
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select c.oid
  from pg_class as c
  where c.relnamespace = 'queue'::regnamespace
    and c.relkind = 'S'
    and (c.relname = 'workflow_run_run_id_seq' or c.relname like 'ids\_of\_q\_%')
$function$;

comment on function queue._id_sequences() is
$comment$Lists the sequences whose ids clients see and send back: of runs, and of the messages of each queue.$comment$;
