-- Starts by name that wait for the first registration of their workflow, which decides their version.

alter table queue.workflow_continuation add column undecided text[];

comment on column queue.workflow_continuation.undecided is
  'What the first registered version of the workflow decides, if no worker has received the run before: version, retention_days; null: nothing. The start named no version, and none was registered.';
