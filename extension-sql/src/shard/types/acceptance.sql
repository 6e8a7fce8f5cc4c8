create type queue.acceptance as (
  tail     bigint, -- not null
  outcomes text[], -- not null
  problems text[]  -- not null
);

comment on type queue.acceptance is
  'What a shard did with items of another one. tail: changes whenever the shard may have lost its last commits. By position: outcomes, ok, gone or rejected, and problems, why an item was rejected.';
