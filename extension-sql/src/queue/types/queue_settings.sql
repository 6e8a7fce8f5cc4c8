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
  'A queue as it was created. kind is standard, fifo or workflow; visibility_timeout is in seconds; max_receives and dead_letter_queue are null together; retention_seconds is null where messages are kept for ever.';
