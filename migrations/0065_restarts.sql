-- Restarts: how often progress has restarted the count of deliveries, so that no run ends workers without limit.

alter table queue.workflow_continuation add column restarts integer;

comment on column queue.workflow_continuation.restarts is
  'Deliveries in a row that followed an expired lease and made progress; null for none. A worker that gives the run back ends the row.';
