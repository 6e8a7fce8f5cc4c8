-- Versions of workflows that workers have registered, so that a start by name finds the highest one and its defaults.

create table queue.workflow_version (
  registered_at  timestamptz not null,
  version        integer not null,
  retention_days integer,
  deadline       interval,
  workflow_name  text not null,
  on_failure     text,
  constraint workflow_version_pkey primary key (workflow_name, version),
  constraint version_is_positive check (version >= 1)
);

comment on table queue.workflow_version is
  'One row a version of a workflow that a worker has registered, until workflow_unregister().';
comment on column queue.workflow_version.registered_at is 'When a worker registered it first, or changed it.';
comment on column queue.workflow_version.version is 'The version.';
comment on column queue.workflow_version.retention_days is 'How long its ended runs are kept; null: 30 days.';
comment on column queue.workflow_version.deadline is 'How long after its start a run fails; null: never.';
comment on column queue.workflow_version.workflow_name is 'The workflow.';
comment on column queue.workflow_version.on_failure is 'The workflow of which a run is started for each of its runs that fails; null: none.';

-- One look for each end of a run: whether any workflow has a failure handler.
create index workflow_version_with_handler on queue.workflow_version (workflow_name) where on_failure is not null;

alter table queue.workflow_run
  add column failure_of bigint;
comment on column queue.workflow_run.failure_of is 'The run whose failure this one handles.';

-- A schedule without a version starts the latest one at each tick.
alter table queue.schedule
  alter column workflow_version drop not null;
comment on column queue.schedule.workflow_version is 'Version of the runs; null: the latest that is registered at the tick.';
