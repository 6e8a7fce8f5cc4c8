create type queue.sqs_queue_state as (
  sqs_name            text,        -- not null
  name                text,        -- not null
  kind                text,        -- standard | fifo
  visibility_timeout  integer,     -- not null
  max_receives        integer,     -- may be null
  dead_letter_queue   text,        -- may be null
  retention_seconds   integer,     -- may be null
  delay_seconds       integer,     -- not null
  deduplication_scope text,        -- queue | group
  attributes          jsonb,       -- not null
  tags                jsonb,       -- not null
  created_at          timestamptz, -- not null
  changed_at          timestamptz  -- not null
);

comment on type queue.sqs_queue_state is
  'A queue as clients of SQS see it. sqs_name: its name for them. name: the queue. dead_letter_queue: the name for clients of SQS, too. attributes: strings by name, for which queues have no setting. changed_at: the last change by a client of SQS, or when the queue was created.';
