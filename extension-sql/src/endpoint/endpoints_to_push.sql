create or replace function queue.endpoints_to_push()
returns setof queue.push_target
language plpgsql
volatile
security definer
as $function$
begin
  if not queue._migrate_if_older() then
    return;
  end if;
  if not exists (select from queue.endpoint) or queue._must_hold(false) then
    return;
  end if;
  return query
    select e.endpoint_id, e.url, e.concurrency, e.max_duration_ms, jsonb_object_agg(w.workflow, w.versions)
    from (
      select n.endpoint_id, n.workflow, jsonb_agg(n.version order by n.version) as versions
      from (
        select distinct on (s.workflow, v.version) s.workflow, v.version::integer, c.endpoint_id
        from queue.endpoint as c
        cross join jsonb_each(c.serves) as s (workflow, versions)
        cross join jsonb_array_elements(s.versions) as v (version)
        where c.paused_at is null
          and c.checked_at is not null
        order by s.workflow, v.version, c.created_at desc, c.endpoint_id desc
      ) as n
      group by n.endpoint_id, n.workflow
    ) as w
    join queue.endpoint as e on e.endpoint_id = w.endpoint_id
    group by e.endpoint_id
    order by e.endpoint_id;
end
$function$;

comment on function queue.endpoints_to_push() is
$comment$For servers: lists the endpoints to which runs are pushed, each with the versions whose runs go there. A version goes to the newest of the endpoints that serve it, without those that are paused. An endpoint whose last check failed keeps the versions that the last successful one found.
Returns the endpoints that have versions, by id; an empty set while the database is held as a copy: see release_incarnation().
Touches: nothing; reads queue.endpoint.$comment$;
