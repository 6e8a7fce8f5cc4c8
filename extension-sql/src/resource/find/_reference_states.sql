create or replace function queue._reference_states(type text, id text)
returns table (reference_id bigint, state text)
language plpgsql
stable
-- plans: index, nested loop
as $function$
begin
  return query
    with named as materialized (
      select r.reference_id, r.owner_type, r.owner_id, r.version
      from queue.resource_reference as r
      where r.type = _reference_states.type
        and (r.id = _reference_states.id or _reference_states.id is null)
    ),
    -- Once a version, however many of its places name something.
    versions as materialized (
      select o.owner_id, o.version, v.state,
        case when v.state = 'archived' then queue._workflow_queue_id(o.owner_id) end as queue_id
      from (
        select distinct n.owner_id, n.version
        from named as n
        where n.owner_type = 'definition'
          and n.version <> 0
      ) as o
      join queue.definition as d on d.name = o.owner_id
      join queue.definition_version as v
        on v.definition_id = d.definition_id
        and v.version = o.version
    ),
    -- In pools, the version is that of the run: each run of these workflows is read once.
    pooled as materialized (
      select distinct m.workflow_queue_id as queue_id, r.workflow_version as version
      from (select distinct v.queue_id from versions as v where v.queue_id is not null) as q
      join queue.workflow_continuation as m on m.workflow_queue_id = q.queue_id
      join queue.workflow_run as r on r.run_id = m.msg_id
    ),
    counting as materialized (
      select v.owner_id, v.version, v.state
      from versions as v
      where v.state <> 'archived'
        or exists (
          select
          from queue.workflow_continuation as m
          where m.queue_id = v.queue_id
            and m.version = v.version
        )
        or exists (
          select
          from pooled as p
          where p.queue_id = v.queue_id
            and p.version = v.version
        )
    )
    select n.reference_id,
      case
        when n.owner_type <> 'definition' then 'current'
        when n.version = 0 then 'draft'
        else c.state
      end
    from named as n
    left join counting as c
      on n.owner_type = 'definition'
      and c.owner_id = n.owner_id
      and c.version = n.version
    where n.owner_type <> 'definition'
      or n.version = 0
      or c.state is not null;
end
$function$;

comment on function queue._reference_states(text, text) is
$comment$Lists the references to a resource that count. Archived versions count while they have runs in progress.
id: null means all resources of the type.
Returns one row per reference, with draft, published, archived, or current for an owner without versions.
Touches: nothing; reads queue.resource_reference, queue.definition, queue.definition_version, queue.workflow_continuation, queue.workflow_run.$comment$;
