create or replace function queue._own_incarnation()
returns table (
  state             text,
  system_identifier bigint,
  server_version    integer,
  is_untouched      boolean,
  is_same_database  boolean,
  is_other_timeline boolean,
  is_at_home        boolean
)
language sql
stable
as $function$
  select i.state, i.system_identifier, i.server_version, f.is_untouched, f.is_same_database,
    case
      when i.guarded_timeline is null then false
      else coalesce(i.guarded_timeline operator(pg_catalog.<>) queue._wal_timeline(), false)
    end,
    i.state operator(pg_catalog.=) any (array['live', 'sandbox'])
      and f.is_untouched
      and f.is_same_database
      and i.guarded_timeline is null
  from queue.own_incarnation as i
  cross join lateral (
    select
      i.xmin operator(pg_catalog.=) i.written_by::xid,
      i.tableoid operator(pg_catalog.=) i.table_oid
        and i.database_oid operator(pg_catalog.=)
          pg_catalog.split_part(pg_catalog.pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid
  ) as f (is_untouched, is_same_database)
  where i.is_the_only_one
$function$;

comment on function queue._own_incarnation() is
$comment$Returns what this database has recorded about itself, and whether the record still fits. Inlined, so that a receive does not pay for a call.
is_untouched: the transaction that wrote the row is the one named in it, which a restore changes.
is_same_database: the table and the database have the recorded oids.
is_other_timeline: the server writes another timeline than the guarded one: see guard_incarnation().
is_at_home: the database is no copy, by evidence that costs no call: the usual verdict of _judge_incarnation(). False for a guarded database, which that function judges.
Returns one row; no row in a database without a record.
Touches: nothing; reads queue.own_incarnation.$comment$;
