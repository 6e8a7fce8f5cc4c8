-- The trace that a run is part of, and an index that finds what has ended lately.

alter table queue.workflow_run
  add column trace jsonb;

comment on column queue.workflow_run.trace is
  'Headers of the trace that the start was part of, as text by name: {"traceparent": …}; null where there was none.';

-- Small, and nearly free to keep: runs end about in the order in which they were started.
create index workflow_run_completed on queue.workflow_run using brin (completed_at) with (pages_per_range = 32);
