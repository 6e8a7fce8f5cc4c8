create type queue.version_defaults as (
  versions       integer[], -- may be null
  retention_days integer[], -- may be null
  deadlines      interval[] -- may be null
);

comment on type queue.version_defaults is
  'The registered versions of a workflow, highest first, with the defaults of their runs, as parallel arrays; null before the first registration.';
