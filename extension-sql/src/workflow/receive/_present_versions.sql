create or replace function queue._present_versions(queue_id integer)
returns integer[]
language plpgsql
stable
-- plans: index
as $function$
begin
  -- Jumps from version to version through the index.
  return array(
    with recursive present (version) as (
      (
        select m.version
        from queue.workflow_continuation as m
        where m.queue_id = _present_versions.queue_id
        order by m.version
        limit 1
      )
      union all
      select (
        select m.version
        from queue.workflow_continuation as m
        where m.queue_id = _present_versions.queue_id
          and m.version > p.version
        order by m.version
        limit 1
      )
      from present as p
      where p.version is not null
    )
    select p.version from present as p where p.version is not null
  );
end
$function$;

comment on function queue._present_versions(integer) is
$comment$Returns the versions of a workflow that have runs in flight.
Returns them in ascending order.
Touches: nothing; reads queue.workflow_continuation.$comment$;
