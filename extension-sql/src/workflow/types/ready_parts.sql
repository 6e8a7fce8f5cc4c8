create type queue.ready_parts as (
  queue_ids integer[],
  versions  integer[],
  names     text[],
  froms     timestamptz[],
  marks     queue.queue_mark[],
  limited   integer[]
);

comment on type queue.ready_parts is
  'Ranges of the ready index that a worker serves, in order of preference: a workflow, one of its versions, and where to begin. limited: queues of workflows that have flow control.';
