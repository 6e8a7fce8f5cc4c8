create type queue.shard_identity as (
  fleet_id uuid,   -- not null
  shard    text,   -- not null
  state    text,   -- not null
  homes    text[]  -- not null
);

comment on type queue.shard_identity is
  'Which shard a database is. state: of its tables, as the functions need it; shards of one release have the same. homes: names of the shards where the routes of the call are at home; null for a null.';
