create or replace function queue._own_incarnation()
returns table (
  state             text,
  system_identifier bigint,
  server_version    integer,
  guarded_timeline  integer,
  is_untouched      boolean,
  is_same_database  boolean
)
language sql
stable
as $function$
  select i.state, i.system_identifier, i.server_version, i.guarded_timeline,
    i.xmin operator(pg_catalog.=) i.written_by::xid,
    i.tableoid operator(pg_catalog.=) i.table_oid
      and i.database_oid operator(pg_catalog.=)
        pg_catalog.split_part(pg_catalog.pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid
  from queue.own_incarnation as i
  where i.is_the_only_one
$function$;

comment on function queue._own_incarnation() is
$comment$Returns what this database has recorded about itself, and whether the record still fits. Inlined, so that a receive does not pay for a call.
is_untouched: the transaction that wrote the row is the one named in it, which a restore changes.
is_same_database: the table and the database have the recorded oids.
Returns one row; none in a database without a record.
Touches: nothing; reads queue.own_incarnation.$comment$;
