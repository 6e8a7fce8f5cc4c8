create type queue.workflow_commit_result as (
  run_id   bigint, -- not null
  receipt  bigint, -- not null
  outcome  text,   -- ok | lost | cancelled | busy
  resolved jsonb   -- may be null
);

comment on type queue.workflow_commit_result is
  'The result of a commit for one run. outcome: ok, lost, cancelled or busy. resolved: the waits that it journaled.';
