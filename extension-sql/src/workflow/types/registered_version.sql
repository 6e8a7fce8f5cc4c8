create type queue.registered_version as (
  workflow         text,       -- not null
  version          integer,    -- not null
  retention_days   integer,    -- may be null
  deadline_seconds numeric,    -- may be null
  on_failure       text,       -- may be null
  registered_at    timestamptz, -- not null
  input_schema     json        -- may be null
);

comment on type queue.registered_version is
  'A version of a workflow that workers have registered, with the defaults of its runs and the JSON Schema of their input. A null default is that of the database.';
