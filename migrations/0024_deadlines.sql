-- Deadlines that end runs even if no worker serves them. Only runs with a deadline have an index entry.
create index workflow_run_deadline on queue.workflow_run (deadline)
  where deadline is not null and status = 'running';

comment on index queue.workflow_run_deadline is 'Runs that are still running, by when they fail.';
