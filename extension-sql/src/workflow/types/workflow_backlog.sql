create type queue.workflow_backlog as (
  name         text,
  version      integer,
  ready        bigint,
  oldest_ready interval
);

comment on type queue.workflow_backlog is
  'A version of a workflow, how many of its runs are ready and executed by nobody, and for how long the oldest of them has been.';
