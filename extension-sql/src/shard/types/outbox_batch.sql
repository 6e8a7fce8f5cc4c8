create type queue.outbox_batch as (
  fleet_id uuid,        -- not null
  source   integer,     -- not null
  target   integer,     -- not null
  read_at  timestamptz, -- not null
  item_ids bigint[],    -- not null
  kinds    text[],      -- not null
  causes   text[],      -- not null
  bodies   jsonb[]      -- not null
);

comment on type queue.outbox_batch is
  'Items for another shard, in their order, for accept() there.';
