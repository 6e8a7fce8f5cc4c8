create type queue.peeked_message as (
  msg_id           bigint,      -- not null
  state            text,        -- ready | delayed | in-flight | blocked
  read_ct          integer,     -- not null
  enqueued_at      timestamptz, -- not null
  visible_at       timestamptz, -- not null
  message_group_id text,        -- may be null
  message          jsonb,       -- not null
  headers          jsonb        -- may be null
);

comment on type queue.peeked_message is
  'A message as returned by peek(). state: ready, delayed, in-flight, or blocked behind an earlier message of its group. visible_at: when a delayed message becomes ready, or the lease of one in flight ends. message_group_id: null in a standard queue.';
