create or replace function queue._check_items_of_batch(item_ids bigint[], kinds text[], causes text[], bodies jsonb[])
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if (
    cardinality(item_ids) = all (array[cardinality(kinds), cardinality(causes), cardinality(bodies)])
    and num_nulls(
      array_position(item_ids, null), array_position(kinds, null), array_position(causes, null), array_position(bodies, null)
    ) = 4
  ) is not true then
    perform queue._raise('OX004', 'item_ids, kinds, causes and bodies of a batch don''t fit each other',
      format('%s item_ids, %s kinds, %s causes, %s bodies', cardinality(item_ids), cardinality(kinds), cardinality(causes),
        cardinality(bodies)),
      'Pass them as outbox_take() returns them: an element of each for every item, without nulls.');
  end if;
end
$function$;

comment on function queue._check_items_of_batch(bigint[], text[], text[], jsonb[]) is
$comment$Requires arrays with an element for each item of a batch, and without nulls.
Errors: OX004 otherwise.
Touches: nothing.$comment$;
