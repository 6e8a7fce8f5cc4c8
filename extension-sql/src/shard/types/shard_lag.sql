create type queue.shard_lag as (
  shard          text,             -- not null
  items          bigint,           -- not null
  oldest_seconds double precision, -- not null
  rejected       bigint            -- not null
);

comment on type queue.shard_lag is
  'What waits in this shard for another one. items: not delivered yet; oldest_seconds: the age of the one with the lowest id, 0 without any; rejected: items that the other shard has rejected. 10,000 items mean at least as many.';
