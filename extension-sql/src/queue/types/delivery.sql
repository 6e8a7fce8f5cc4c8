create type queue.delivery as (
  msg_id           bigint,
  receipt          bigint,
  read_ct          integer,
  enqueued_at      timestamptz,
  visible_at       timestamptz,
  message_group_id text,        -- may be null
  message          jsonb,
  headers          jsonb        -- may be null
);

comment on type queue.delivery is
  'One delivery of a message. receipt: proves the delivery. read_ct: counts deliveries, including this one. visible_at: when the delivery ends. message_group_id: null in a standard queue.';
