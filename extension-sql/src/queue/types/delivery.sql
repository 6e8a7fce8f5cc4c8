create type queue.delivery as (
  msg_id           bigint,
  receipt          bigint,
  read_ct          integer,
  enqueued_at      timestamptz,
  visible_at       timestamptz,
  message_group_id text,
  message          jsonb,
  headers          jsonb
);

comment on type queue.delivery is
  'One delivery of a message. receipt proves it; read_ct counts deliveries, this one included; visible_at is when it ends; message_group_id is null in a standard queue.';
