create type queue.run_cursor as (
  started_at timestamptz, -- may be null
  run_id     bigint       -- may be null
);

comment on type queue.run_cursor is
  'A place in a list of runs, which is ordered by these two.';
