create type queue.workflow_lag as (
  name        text,
  ready_since timestamptz,
  lag_seconds double precision
);

comment on type queue.workflow_lag is
  'A workflow that has a ready run which no worker has taken, and since when.';
