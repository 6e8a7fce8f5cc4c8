create type queue.shard_candidate as (
  has_ids    boolean,   -- not null
  last_block integer,   -- not null
  used_slots smallint[] -- not null
);

comment on type queue.shard_candidate is
  'What a database brings into a fleet. has_ids: it has given out ids of runs or messages. last_block: the block of the highest. used_slots: slots of idempotency keys, groups of messages and schedules that it has.';
