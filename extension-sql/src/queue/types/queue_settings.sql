create type queue.queue_settings as (
  name                text,        -- not null
  kind                text,        -- standard | fifo
  visibility_timeout  integer,     -- not null
  max_receives        integer,     -- may be null
  dead_letter_queue   text,        -- may be null
  created_at          timestamptz, -- not null
  retention_seconds   integer,     -- may be null
  suspected_at        timestamptz, -- may be null
  delay_seconds       integer,     -- not null
  deduplication_scope text,        -- queue | group
  grouped_at          timestamptz, -- may be null
  sqs_name            text         -- may be null
);

comment on type queue.queue_settings is
  'The settings of a queue. kind: standard, fifo or workflow. visibility_timeout: seconds. max_receives, dead_letter_queue: both or neither are null. retention_seconds: null if messages are kept forever. suspected_at: when a message was first suspected of ending its consumer, null before. delay_seconds: how long a message stays invisible if its sender sets no delay. deduplication_scope: within what a deduplication id counts. grouped_at: when messages of one group were first received together, null before. sqs_name: the queue''s name for clients of SQS, where one has created it and queues can''t have that name; only list_queues(), get_queue() and alter_queue() look it up.';
