create type queue.workflow_lag as (
  name        text,            -- not null
  ready_since timestamptz,     -- not null
  lag_seconds double precision -- not null
);

comment on type queue.workflow_lag is
  'A workflow that has a ready run which no worker has taken, and since when.';
