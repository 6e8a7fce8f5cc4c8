-- Pools: workers that receive the runs of many workflows as those of one queue.

alter table queue.queue add column pool_id integer;

comment on column queue.queue.pool_id is
  'Of a workflow: the queue of the pool whose workers receive its runs; null: workers that name the workflow do. Of a pool: its own queue_id.';

alter table queue.workflow_continuation add column workflow_queue_id integer;

comment on column queue.workflow_continuation.queue_id is
  'The queue that workers receive the run from: that of its workflow, or of the pool of the workflow.';
comment on column queue.workflow_continuation.version is
  'Version of the workflow that the run stays with. In the queue of a pool: 1, or 2 while a worker has given the run back because it can''t execute it.';
comment on column queue.workflow_continuation.workflow_queue_id is
  'The queue of the workflow, if queue_id is that of a pool; otherwise null.';

create index workflow_continuation_of_pool on queue.workflow_continuation (workflow_queue_id)
  where workflow_queue_id is not null;
