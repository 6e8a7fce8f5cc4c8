create type queue.workflow_backlog as (
  name         text,
  version      integer,
  ready        bigint,
  oldest_ready interval
);

comment on type queue.workflow_backlog is
  'Lists versions of workflows that have ready runs which no worker is executing: no worker serves the version, or too few do. Returns one row per such version, by name. It reads all ready runs in flight, so it suits dashboards and diagnosis rather than a hot path. Touches: nothing; reads queue.workflow_continuation.';
