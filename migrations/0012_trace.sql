-- The trace of a run, and an index of runs that started or ended recently.

alter table queue.workflow_run
  add column trace jsonb;

comment on column queue.workflow_run.trace is
  'Headers of the trace that the start was part of, as text by name: {"traceparent": ...}; null where there was none.';

-- For workflow_metrics() alone. Small, and nearly free to keep, since runs end about in the order of their starts; of
-- expressions, so that it is no candidate for any other statement, nor
-- any other index for that one.
create index workflow_run_times on queue.workflow_run using brin (
  (started_at - timestamptz '2000-01-01 00:00:00+00'),
  (case when completed_at is not null then completed_at - timestamptz '2000-01-01 00:00:00+00' end)
) with (pages_per_range = 32);
