create type queue.delivery as (
  msg_id           bigint,      -- not null
  receipt          bigint,      -- not null
  read_ct          integer,     -- not null
  enqueued_at      timestamptz, -- not null
  visible_at       timestamptz, -- not null
  message_group_id text,        -- may be null
  message          jsonb,       -- not null
  headers          jsonb        -- may be null
);

comment on type queue.delivery is
  'One delivery of a message. receipt: proves the delivery. read_ct: counts deliveries, including this one. visible_at: when the delivery ends. message_group_id: null in a standard queue.';
