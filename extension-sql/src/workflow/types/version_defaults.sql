create type queue.version_defaults as (
  versions       integer[],
  retention_days integer[],
  deadlines      interval[]
);

comment on type queue.version_defaults is
  'The registered versions of a workflow, highest first, with the defaults of their runs, as parallel arrays; null if none is registered.';
