-- Retries of failed runs by the policy of their workflow.

alter table queue.workflow_run
  add column retried integer;

comment on column queue.workflow_run.retried is 'How often the run was retried by the policy of its workflow since it was started or retried by hand; null: never.';

-- What is shown of a run that has retries; its name tells that the column exists.
create index workflow_run_retried on queue.workflow_run (run_id) where retried is not null;
