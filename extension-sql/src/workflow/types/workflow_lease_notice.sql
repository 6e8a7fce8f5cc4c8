create type queue.workflow_lease_notice as (
  run_id  bigint,
  receipt bigint,
  outcome text    -- lost | cancelled | signalled | paused | cancelling | busy
);

comment on type queue.workflow_lease_notice is
  'A lease that needs its worker''s attention. outcome: lost, cancelled, signalled, paused, cancelling or busy.';
