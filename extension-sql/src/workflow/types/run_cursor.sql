create type queue.run_cursor as (
  started_at timestamptz,
  run_id     bigint
);

comment on type queue.run_cursor is
  'A place in a list of runs, which is ordered by these two.';
