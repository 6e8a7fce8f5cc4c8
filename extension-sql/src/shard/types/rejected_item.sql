create type queue.rejected_item as (
  item_id    bigint,      -- not null
  shard      text,        -- not null
  kind       text,        -- not null
  created_at timestamptz, -- not null
  problem    text,        -- not null
  body       jsonb        -- not null
);

comment on type queue.rejected_item is
  'An item that another shard has rejected, and why.';
