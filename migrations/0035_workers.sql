-- Workers that are there, and what they serve, for display. Each reports itself every 20 seconds.

create table queue.workflow_worker (
  started_at   timestamptz not null,
  last_seen_at timestamptz not null,
  process_id   integer not null,
  slots        integer not null,
  busy_slots   integer not null,
  worker_id    uuid not null,
  host         text not null,
  sdk_version  text not null,
  serves       jsonb not null,
  constraint workflow_worker_pkey primary key (worker_id)
);

-- A row is rewritten every 20 seconds: on its page, without an index entry.
alter table queue.workflow_worker set (
  fillfactor = 50, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500
);

comment on table queue.workflow_worker is
  'One row a worker, from its first report until it stops; one that was killed is deleted an hour later. Nothing but lists reads it.';
comment on column queue.workflow_worker.started_at is 'When the worker reported itself first.';
comment on column queue.workflow_worker.last_seen_at is 'When the worker reported itself last.';
comment on column queue.workflow_worker.process_id is 'Its process on the host.';
comment on column queue.workflow_worker.slots is 'How many runs it executes at once at most.';
comment on column queue.workflow_worker.busy_slots is 'How many runs it executed at its last report.';
comment on column queue.workflow_worker.worker_id is 'Drawn by the worker when it starts.';
comment on column queue.workflow_worker.host is 'Name of its host.';
comment on column queue.workflow_worker.sdk_version is 'Version of its SDK.';
comment on column queue.workflow_worker.serves is 'The versions that it serves, by workflow: {"<name>": [<version>, ...]}.';
