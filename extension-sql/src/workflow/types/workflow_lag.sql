create type queue.workflow_lag as (
  name        text,
  ready_since timestamptz,
  lag_seconds double precision
);

comment on type queue.workflow_lag is
  'Lists workflows that have a ready run, with the time that the oldest one has waited for a worker. Versions that no worker serves count too. Returns one row per workflow, longest wait first; none if no run is waiting. Touches: nothing; reads the first ready entry of queue.workflow_continuation per version.';
