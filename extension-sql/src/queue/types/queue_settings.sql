create type queue.queue_settings as (
  name               text,
  kind               text,
  visibility_timeout integer,
  max_receives       integer,
  dead_letter_queue  text,
  created_at         timestamptz,
  retention_seconds  integer
);

comment on type queue.queue_settings is
  'A queue as it was created. kind: standard, fifo or workflow. visibility_timeout: seconds. max_receives, dead_letter_queue: both or neither are null. retention_seconds: null if messages are kept forever.';
