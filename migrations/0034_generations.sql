-- Runs that continue as new: the number of the current generation, and the chain of earlier ones.

alter table queue.workflow_run
  add column generation integer;

comment on column queue.workflow_run.generation is
  'Number of the current generation; null: the first. The run has continued as new once less often.';

alter table queue.workflow_signal_receipt
  add column generation integer;

comment on column queue.workflow_signal_receipt.generation is
  'The generation that ended last when the signal had arrived; null: it has arrived in the current one. The end of the next generation deletes the row.';

create table queue.workflow_generation (
  run_id           bigint not null,
  started_at       timestamptz not null,
  ended_at         timestamptz not null,
  generation       integer not null,
  workflow_version integer not null,
  steps            integer not null,
  input            jsonb,
  constraint workflow_generation_pkey primary key (run_id, generation)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_generation is
  'Ended generations of runs that continued as new: the first and the latest 99 of each run. They leave with their run.';
comment on column queue.workflow_generation.run_id is 'The run.';
comment on column queue.workflow_generation.started_at is
  'When the generation began: the start of the run, or the end of the generation before.';
comment on column queue.workflow_generation.ended_at is 'When the commit that continued the run as new was made.';
comment on column queue.workflow_generation.generation is 'Number of the generation, from 1.';
comment on column queue.workflow_generation.workflow_version is 'Version of the definition that the generation executed.';
comment on column queue.workflow_generation.steps is
  'How many rows its journal had; that commit deleted them.';
comment on column queue.workflow_generation.input is 'Input of the generation.';
