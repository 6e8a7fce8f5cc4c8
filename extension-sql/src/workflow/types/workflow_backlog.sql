create type queue.workflow_backlog as (
  name         text,    -- not null
  version      integer, -- not null
  ready        bigint,  -- not null
  oldest_ready interval -- not null
);

comment on type queue.workflow_backlog is
  'A version of a workflow. ready: how many of its runs are ready and not executing. oldest_ready: how long the oldest of them has been ready.';
