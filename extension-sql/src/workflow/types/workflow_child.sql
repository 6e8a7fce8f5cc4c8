create type queue.workflow_child as (
  run_id       bigint,      -- not null
  name         text,        -- not null
  version      integer,     -- not null
  status       text,        -- running | completed | failed | cancelled
  parent_step  text,        -- not null
  is_detached  boolean,     -- not null
  started_at   timestamptz, -- not null
  completed_at timestamptz  -- may be null
);

comment on type queue.workflow_child is
  'A run that a step of another run has started, and the name of that step.';
comment on column queue.workflow_child.parent_step is
  'The step of the parent that started the run.';
comment on column queue.workflow_child.is_detached is
  'Whether the parent does not wait for the end of the run.';
