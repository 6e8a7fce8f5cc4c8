create type queue.trigger_decision as (
  event_id      bigint,  -- not null
  definition_id bigint,  -- not null
  workflow_name text,    -- not null
  version       integer, -- not null
  name          text,    -- not null
  outcome       text,    -- start | once | delayed | again | withdrawn | paused | failed
  error         text,    -- may be null
  input         jsonb,   -- may be null
  once_key      text,    -- may be null
  delay_seconds numeric, -- not null
  depth         integer, -- not null
  ends          integer, -- not null
  trace         jsonb,   -- may be null
  run_id        bigint   -- may be null
);

comment on type queue.trigger_decision is 'What trigger_commit() does about a trigger that an event matched.';
