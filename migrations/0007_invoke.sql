-- Runs that a step of another run has started. The index holds only those.

alter table queue.workflow_run
  add column parent_run_id bigint,
  add column parent_step text,
  add column is_detached boolean;

comment on column queue.workflow_run.parent_run_id is 'The run whose step.invoke started this one; null: it was started from outside.';
comment on column queue.workflow_run.parent_step is 'Name of that step. A parent starts one run a step.';
comment on column queue.workflow_run.is_detached is 'The parent does not wait for the end of this run; null: there is no parent.';

create unique index workflow_run_parent on queue.workflow_run (parent_run_id, parent_step)
  where parent_run_id is not null;
