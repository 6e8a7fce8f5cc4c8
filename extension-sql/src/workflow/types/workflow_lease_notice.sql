create type queue.workflow_lease_notice as (
  run_id  bigint, -- not null
  receipt bigint, -- not null
  outcome text    -- lost | cancelled | signalled | paused | cancelling | busy
);

comment on type queue.workflow_lease_notice is
  'A lease that needs its worker''s attention. outcome: lost, cancelled, signalled, paused, cancelling or busy.';
