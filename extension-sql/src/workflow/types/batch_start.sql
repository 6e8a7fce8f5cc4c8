create type queue.batch_start as (
  run_id     bigint,      -- not null
  created    boolean,     -- not null
  status     text,        -- running | completed | failed | cancelled
  receipt    bigint,      -- may be null
  started_at timestamptz, -- may be null
  deadline   timestamptz  -- may be null
);

comment on type queue.batch_start is
  'The result of one start of a batch: the run, whether this call created it, and its status. receipt, started_at, deadline: of a run that the start has leased to its caller; otherwise null.';
