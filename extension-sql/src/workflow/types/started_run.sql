create type queue.started_run as (
  run_id  bigint,  -- not null
  created boolean, -- not null
  status  text     -- running | completed | failed | cancelled
);

comment on type queue.started_run is
  'The result of a start: the run, whether this call created it, and its status.';
