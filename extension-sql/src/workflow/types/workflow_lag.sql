create type queue.workflow_lag as (
  name        text,
  ready_since timestamptz,
  lag_seconds double precision
);

comment on type queue.workflow_lag is 'A workflow with a run that is ready and that no worker has taken, since when, and how long that is.';
