-- Progress of runs, and failures of steps that were retried, for display. No replay reads them.

create table queue.workflow_failed_attempt (
  run_id    bigint not null,
  failed_at timestamptz not null,
  retry_at  timestamptz not null,
  attempt   integer not null,
  step_name text not null,
  error     jsonb not null,
  constraint workflow_failed_attempt_pkey primary key (run_id, step_name, retry_at)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_failed_attempt is
  'One row a failed call of a step that was called again, the first 10 and the last 90 of each step. Rows leave with their run.';
comment on column queue.workflow_failed_attempt.run_id is 'The run.';
comment on column queue.workflow_failed_attempt.failed_at is 'When the failure was committed.';
comment on column queue.workflow_failed_attempt.retry_at is 'When the next call was due. With the step it identifies the failure: a continuation that is written again carries the same.';
comment on column queue.workflow_failed_attempt.attempt is 'Which call of the step failed, from 1; counted from 1 again after workflow_retry().';
comment on column queue.workflow_failed_attempt.step_name is 'Name of the step.';
comment on column queue.workflow_failed_attempt.error is 'What the call threw.';

create table queue.workflow_progress (
  run_id      bigint not null,
  receipt     bigint not null,
  reported_at timestamptz not null,
  worker      text not null,
  steps       jsonb not null,
  constraint workflow_progress_pkey primary key (run_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_progress is
  'Which steps a worker is calling, of runs whose calls take longer than a second. True only while the receipt is alive. Rows leave with their run.';
comment on column queue.workflow_progress.run_id is 'The run.';
comment on column queue.workflow_progress.receipt is 'The delivery that the report belongs to.';
comment on column queue.workflow_progress.reported_at is 'When the worker reported.';
comment on column queue.workflow_progress.worker is 'What the worker calls itself: host and process.';
comment on column queue.workflow_progress.steps is 'The calls: [{"step", "attempt", "since"}].';
