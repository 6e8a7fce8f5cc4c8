create type queue.ready_parts as (
  queue_ids integer[],          -- may be null
  versions  integer[],          -- may be null
  names     text[],             -- may be null
  froms     timestamptz[],      -- may be null
  marks     queue.queue_mark[], -- may be null
  limited   integer[]           -- may be null
);

comment on type queue.ready_parts is
  'Ranges of the ready index that a worker serves, in order of preference: a workflow, one of its versions, and where to begin. limited: queues of workflows that have flow control.';
