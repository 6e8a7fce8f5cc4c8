create type queue.outbox_batch as (
  fleet_id uuid,        -- may be null
  source   integer,     -- may be null
  target   integer,     -- may be null
  read_at  timestamptz, -- may be null
  item_ids bigint[],    -- may be null
  kinds    text[],      -- may be null
  causes   text[],      -- may be null
  bodies   jsonb[]      -- may be null
);

comment on type queue.outbox_batch is
  'Items for another shard, in their order, for accept() there. All nulls: another relay serves that shard at present.';
