create type queue.workflow_commit_result as (
  run_id   bigint,
  receipt  bigint,
  outcome  text,
  resolved jsonb
);

comment on type queue.workflow_commit_result is
  'What a commit did to one run: outcome is ok, lost, cancelled or busy; resolved lists the event waits that it journaled.';
