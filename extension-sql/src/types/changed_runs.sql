create type queue.changed_runs as (
  changed integer,
  before  bigint
);

comment on type queue.changed_runs is
  'What one batch of a change by filter did: how many runs it changed, and the cursor of the next batch; null when there is none.';
