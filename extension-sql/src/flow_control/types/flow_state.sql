create type queue.flow_state as (
  settings jsonb,
  version  integer,
  admitted bigint,
  queued   bigint,
  opens_at timestamptz
);

comment on type queue.flow_state is
  'Flow control of a workflow, and how it stands. admitted: runs in flight that are counted; queued: those that wait for their turn, or for their time; opens_at: when the next may begin, where a rate or a delay tells.';
