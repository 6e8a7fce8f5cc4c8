create type queue.queue_statistics as (
  name               text,    -- not null
  visible            bigint,  -- not null
  in_flight          bigint,  -- not null
  delayed            bigint,  -- not null
  groups             bigint,  -- may be null
  total_sent         bigint,  -- not null
  oldest_message_age interval -- may be null
);

comment on type queue.queue_statistics is
  'Counts of a queue''s messages. groups: null in a standard queue. total_sent: message ids that were drawn, including those of sends that were rolled back. oldest_message_age: null if the queue is empty.';
