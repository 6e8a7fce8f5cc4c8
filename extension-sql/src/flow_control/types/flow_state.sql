create type queue.flow_state as (
  settings jsonb,      -- not null
  version  integer,    -- not null
  admitted bigint,     -- not null
  queued   bigint,     -- not null
  opens_at timestamptz -- may be null
);

comment on type queue.flow_state is
  'Flow control of a workflow and its current state. admitted: runs in flight that are counted. queued: runs that wait for admission or for their time. opens_at: when the next run may begin, if a rate or a delay determines it.';
