create type queue.kept_run as (
  run_id  bigint, -- not null
  problem text,   -- not null
  remedy  text    -- not null
);

comment on type queue.kept_run is
  'A run that can''t move to another shard. problem: why; remedy: what to do about it.';
