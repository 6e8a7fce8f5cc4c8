create type queue.run_place as (
  queue_id          integer, -- not null
  pool_id           integer, -- may be null
  workflow_queue_id integer  -- may be null
);

comment on type queue.run_place is
  'Where the continuations of a workflow are: the queue that workers receive them from, its pool, and the queue of the workflow if that is another one.';
