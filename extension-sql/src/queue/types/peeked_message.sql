create type queue.peeked_message as (
  msg_id           bigint,
  state            text,
  read_ct          integer,
  enqueued_at      timestamptz,
  visible_at       timestamptz,
  message_group_id text,
  message          jsonb,
  headers          jsonb
);

comment on type queue.peeked_message is
  'A message as peek() shows it. state is ready, delayed, in-flight, or blocked: behind an earlier message of its group. visible_at is when a delayed message becomes ready, or when the lease of one in flight ends; message_group_id is null in a standard queue.';
