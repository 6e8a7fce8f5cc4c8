create type queue.run_whereabouts as (
  shard       text,   -- not null
  has_arrived boolean -- not null
);

comment on type queue.run_whereabouts is
  'Where a run has moved to. has_arrived: it is there, or has moved on; otherwise it is on its way.';
