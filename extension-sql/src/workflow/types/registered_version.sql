create type queue.registered_version as (
  workflow         text,
  version          integer,
  retention_days   integer,
  deadline_seconds numeric,
  on_failure       text,
  registered_at    timestamptz
);

comment on type queue.registered_version is
  'A version of a workflow as workers have registered it, with the defaults of its runs; a default that is null is that of the database.';
