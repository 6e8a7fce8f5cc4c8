create type queue.signalled_start as (
  run_id  bigint,  -- not null
  created boolean, -- not null
  status  text,    -- running | completed | failed | cancelled
  outcome text     -- delivered | buffered | ignored
);

comment on type queue.signalled_start is
  'The result of a start with a signal: the run, whether this call created it, its status, and the outcome of the signal: delivered, buffered or ignored.';
