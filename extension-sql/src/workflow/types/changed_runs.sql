create type queue.changed_runs as (
  changed           integer,    -- not null
  before            bigint,     -- may be null
  before_started_at timestamptz -- may be null
);

comment on type queue.changed_runs is
  'The result of one batch of a change by filter: how many runs it changed, and the cursor of the next batch, which is null after the last one.';
