create or replace function queue._is_plain_commit(
  names       text[],
  run_ids     bigint[],
  receipts    bigint[],
  transitions text[],
  results     jsonb[]
)
returns boolean
language sql
immutable
parallel safe
as $function$
  select pg_catalog.array_position(names, null) is null
    and pg_catalog.array_position(run_ids, null) is null
    and pg_catalog.array_position(receipts, null) is null
    and pg_catalog.cardinality(names) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and pg_catalog.cardinality(receipts) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and pg_catalog.cardinality(transitions) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and (results is null or pg_catalog.cardinality(results) operator(pg_catalog.=) pg_catalog.cardinality(run_ids))
    and (
      transitions operator(pg_catalog.<@) '{complete,fail,cancel,retry,release}'
      or transitions operator(pg_catalog.<@) '{keep,complete,fail,cancel,retry,release}'
        and not queue._has_value(results)
      or transitions operator(pg_catalog.=) '{suspend}'
        and coalesce(pg_catalog.jsonb_typeof(results[1]), '') operator(pg_catalog.=) 'object'
    )
$function$;

comment on function queue._is_plain_commit(text[], bigint[], bigint[], text[], jsonb[]) is
$comment$Returns whether a commit is certainly well-formed, which most are. Inlined where it is used.
Returns true; false or null if _check_commit() has to decide.$comment$;
