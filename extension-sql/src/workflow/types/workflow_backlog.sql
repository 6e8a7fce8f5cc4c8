create type queue.workflow_backlog as (
  name         text,
  version      integer,
  ready        bigint,
  oldest_ready interval
);

comment on type queue.workflow_backlog is
  'A version of a workflow. ready: how many of its runs are ready and not executing. oldest_ready: how long the oldest of them has been ready.';
