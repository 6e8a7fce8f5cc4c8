create type queue.queue_statistics as (
  name               text,
  visible            bigint,
  in_flight          bigint,
  delayed            bigint,
  groups             bigint,
  total_sent         bigint,
  oldest_message_age interval
);

comment on type queue.queue_statistics is
  'Counts of a queue''s messages. groups is null in a standard queue; total_sent counts the message ids that were drawn, those of sends that were rolled back included; oldest_message_age is null when the queue is empty.';
