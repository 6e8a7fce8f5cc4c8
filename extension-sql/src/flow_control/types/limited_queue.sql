create type queue.limited_queue as (
  queue_id integer,  -- not null
  name     text,     -- not null
  versions integer[] -- not null
);

comment on type queue.limited_queue is
  'A workflow with flow control, as returned by _limited_queues(). name: by which its runs are received. versions: that the receive takes.';
