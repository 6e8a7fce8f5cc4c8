create or replace function queue._is_plain_commit(
  names       text[],
  run_ids     bigint[],
  receipts    bigint[],
  transitions text[],
  results     jsonb[],
  items       integer[]
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
    and pg_catalog.cardinality(results) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and (
      transitions operator(pg_catalog.<@) '{complete,fail,cancel,retry,release}'
      or transitions operator(pg_catalog.<@) '{keep,complete,fail,cancel,retry,release}'
        and pg_catalog.array_remove(results, null) operator(pg_catalog.=) '{}'
      or transitions operator(pg_catalog.=) '{suspend}'
        and coalesce(pg_catalog.jsonb_typeof(results[1]), '') operator(pg_catalog.=) 'object'
    )
    and (items is null or items operator(pg_catalog.<@) '{1}')
$function$;

comment on function queue._is_plain_commit(text[], bigint[], bigint[], text[], jsonb[], integer[]) is
$comment$Whether a commit is certainly well-formed, which most are: nothing is null, and all belongs to its first run. The planner inlines this.
items: as in _check_commit(), which judges the others.
Returns true, or false if it takes a closer look.
Touches: nothing.$comment$;
