create or replace function queue._raise_unknown_item(item integer, run_count integer)
returns boolean
language plpgsql
stable
as $function$
begin
  perform queue._raise('OX004',
    format('a step, value or chunk refers to item %s of a commit with %s items', coalesce(item::text, 'null'), run_count), null,
    'step_items, state_items and stream_items are indexes into run_ids, from 1. Nothing was written.');
  return null;
end
$function$;

comment on function queue._raise_unknown_item(integer, integer) is
$comment$Rejects a commit in which a step, a value or a chunk belongs to no run of the commit.
item: the invalid index, or null.
run_count: the number of runs in the commit.
Returns never.
Errors: OX004 invalid argument, always.$comment$;
