create or replace function queue._family(run_id bigint)
returns bigint[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
begin
  return array(
    with recursive tree (run_id) as (
      select _family.run_id
      union
      select c.run_id
      from tree
      join queue.workflow_run as c on c.parent_run_id = tree.run_id
      where c.status = 'running'
        and not c.is_detached
    )
    select tree.run_id from tree
    union all
    select r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = _family.run_id
      and r.parent_run_id is not null
  );
end
$function$;

comment on function queue._family(bigint) is
$comment$A run, the running runs that it and its children wait for, and its parent.
Returns their ids.
Touches: nothing; reads queue.workflow_run.$comment$;
