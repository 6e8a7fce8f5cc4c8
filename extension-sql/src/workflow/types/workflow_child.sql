create type queue.workflow_child as (
  run_id       bigint,
  name         text,
  version      integer,
  status       text,        -- running | completed | failed | cancelled
  parent_step  text,
  is_detached  boolean,
  started_at   timestamptz,
  completed_at timestamptz  -- may be null
);

comment on type queue.workflow_child is
  'A run that a step of another run has started, and the name of that step.';
