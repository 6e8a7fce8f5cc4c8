create or replace function queue._is_held(held boolean[], item integer)
returns boolean
language sql
stable
parallel safe
as $function$
  select case
    when item operator(pg_catalog.>=) 1 and item operator(pg_catalog.<=) pg_catalog.cardinality(held) then held[item]
    else queue._raise_unknown_item(item, pg_catalog.cardinality(held))
  end
$function$;

comment on function queue._is_held(boolean[], integer) is
$comment$Returns whether the lease of a run is held to which a step, a value or a chunk of a commit belongs. Inlined where it is used, so that the statement that writes also checks.
held: by position, whether the lease is held. item: the position.
Returns true or false; null if another transaction has locked the run.
Errors: OX004 the commit has no such item.$comment$;
