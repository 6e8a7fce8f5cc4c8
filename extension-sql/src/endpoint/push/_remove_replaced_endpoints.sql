create or replace function queue._remove_replaced_endpoints(due timestamptz)
returns void
language plpgsql
volatile
-- plans: no jit
as $function$
declare
  v_removed record;
begin
  for v_removed in
    with served as (
      select e.endpoint_id, e.created_at, s.workflow, v.version::integer,
        e.paused_at is null and e.checked_at is not null as is_pushed
      from queue.endpoint as e
      cross join jsonb_each(e.serves) as s (workflow, versions)
      cross join jsonb_array_elements(s.versions) as v (version)
    ),
    needed as (
      select s.endpoint_id
      from served as s
      where not exists (
          select from served as n
          where n.workflow = s.workflow
            and n.version >= s.version
            and n.is_pushed
            and n.created_at > s.created_at
            and n.created_at <= due - interval '1 day'
        )
        or not exists (
            select from served as n
            where n.workflow = s.workflow
              and n.version = s.version
              and n.is_pushed
              and n.created_at > s.created_at
          )
          and exists (
            select from queue.queue as q
            join queue.workflow_continuation as c on c.queue_id = q.queue_id and c.version = s.version
            where q.name = '__wf_' || s.workflow
          )
    )
    delete from queue.endpoint as e
    where e.endpoint_id = any (array(
        select d.endpoint_id
        from queue.endpoint as d
        where d.check_at <= due
          and d.serves <> '{}'
          and d.endpoint_id <> all (array(select n.endpoint_id from needed as n))
        for update skip locked
      ))
    returning e.endpoint_id::text as id, queue._masked_url(e.url) as url
  loop
    perform queue._record_action('endpoint.remove', 'endpoint', array[v_removed.id],
      jsonb_build_object('url', v_removed.url, 'reason', 'replaced'));
  end loop;
end
$function$;

comment on function queue._remove_replaced_endpoints(timestamptz) is
$comment$Removes endpoints of deployments that are over, of those whose check is due: a newer endpoint has served each of their workflows, in the same version or a later one, for a day, and no run is left for which they are needed. Paused endpoints stay.
due: until when checks are due.
Touches: queue.endpoint (SKIP LOCKED); queue.audit; reads queue.queue and queue.workflow_continuation.$comment$;
