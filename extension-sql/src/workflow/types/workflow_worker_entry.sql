create type queue.workflow_worker_entry as (
  worker_id    uuid,        -- not null
  host         text,        -- not null
  process_id   integer,     -- not null
  sdk_version  text,        -- not null
  serves       jsonb,       -- not null
  slots        integer,     -- not null
  busy_slots   integer,     -- not null
  started_at   timestamptz, -- not null
  last_seen_at timestamptz, -- not null
  is_live      boolean      -- not null
);

comment on type queue.workflow_worker_entry is
  'A worker in a list.';
comment on column queue.workflow_worker_entry.serves is
  'The versions that it serves, by workflow: {"<name>": [<version>, ...]}.';
comment on column queue.workflow_worker_entry.slots is
  'Maximum number of runs that it executes concurrently.';
comment on column queue.workflow_worker_entry.busy_slots is
  'How many runs it executed at its last report.';
comment on column queue.workflow_worker_entry.is_live is
  'Whether it has reported itself within the last minute.';
