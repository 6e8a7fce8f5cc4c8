create type queue.sqs_move as (
  task_id        bigint,      -- not null
  source         text,        -- not null
  target         text,        -- may be null
  max_per_second integer,     -- may be null
  moved          bigint,      -- not null
  to_move        bigint,      -- not null
  status         text,        -- running | completed | cancelled | failed
  failure        text,        -- may be null
  started_at     timestamptz  -- not null
);

comment on type queue.sqs_move is
  'A task that moves messages out of a dead letter queue. source, target: names for clients of SQS; target is null if each letter goes back to the queue that it comes from. to_move: the messages that were not in flight at the start. failure: why it failed.';
