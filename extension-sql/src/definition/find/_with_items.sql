create or replace function queue._with_items(run_id bigint)
returns bigint[]
language plpgsql
stable
-- plans: index
as $function$
begin
  return array(
    with recursive family (run_id) as (
      select _with_items.run_id
      union all
      select r.run_id
      from family as f
      join queue.workflow_run as r on r.parent_run_id = f.run_id
      where r.is_item
    )
    select f.run_id from family as f
  );
end
$function$;

comment on function queue._with_items(bigint) is
$comment$Lists a run and the items of its loops that run by themselves, with the items of theirs.
Returns the ids, that of the run first.
Touches: nothing; reads queue.workflow_run.$comment$;
