-- A description of the statuses of a run.

comment on type queue.workflow_status is
  'Status of a run: running until it ends, then completed, failed or cancelled.';
