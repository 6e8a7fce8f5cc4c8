create type queue.leaving_message_group as (
  queue            text,   -- not null
  message_group_id text,   -- not null
  waits            boolean -- not null
);

comment on type queue.leaving_message_group is
  'A message group that is about to leave this shard. waits: its head is in flight, and it has been asked to rest; otherwise hand_over_group() is to be called.';
