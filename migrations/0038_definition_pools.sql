-- Pools of definitions: workers receive the runs of all definitions of a pool together.

alter table queue.definition add column configured_pool text;

comment on column queue.definition.pool is 'The pool whose workers receive its runs: configured_pool, or that of the document.';
comment on column queue.definition.configured_pool is
  'The pool that definition_configure() has set, whatever the document names; null: none.';

-- Workers keep documents by name and version, so a definition that is created again begins with another version.
create table queue.deleted_definition (
  deleted_at   timestamptz not null,
  last_version integer not null,
  name         text not null,
  constraint deleted_definition_pkey primary key (name)
);

comment on table queue.deleted_definition is 'One row a name of definitions that had versions when they were deleted.';
comment on column queue.deleted_definition.deleted_at is 'When the last one was deleted.';
comment on column queue.deleted_definition.last_version is 'The highest version that was used.';
comment on column queue.deleted_definition.name is 'The name.';

-- Definitions that were published before they had pools.
select queue._create_pool(d.pool)
from (select distinct n.pool from queue.definition as n) as d;

update queue.queue as q
set pool_id = p.queue_id
from queue.definition as d
join queue.queue as p on p.name = '__wf_@' || d.pool
where q.name = '__wf_' || d.name;

update queue.workflow_continuation as m
set queue_id = q.pool_id,
  workflow_queue_id = m.queue_id,
  version = 1
from queue.queue as q
where q.queue_id = m.queue_id
  and q.pool_id <> q.queue_id;
