-- Runs that wait for a message of a topic: a subscription of the run for as long as it waits, and an inbox, so that
-- a publish waits for no run.

alter table queue.subscription
  drop constraint target_type_is_known,
  add constraint target_type_is_known check (target_type in ('queue', 'http', 'workflow', 'run'));

comment on column queue.subscription.target_type is 'queue, http, workflow, or run, for a step that waits.';
comment on column queue.subscription.target is 'Name of the queue or of the workflow, the url, or the run_id.';

create table queue.workflow_inbox (
  inbox_id bigint generated always as identity,
  run_id   bigint not null,
  event    text not null,
  payload  jsonb,
  constraint workflow_inbox_pkey primary key (inbox_id)
);

alter table queue.workflow_inbox set (
  vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
);

-- The last migration makes a table or an index.
create index workflow_inbox_run on queue.workflow_inbox (run_id);

comment on table queue.workflow_inbox is
  'One row a message of a topic that a run waits for, from the publish until the next receive hands it over as a signal.';
comment on column queue.workflow_inbox.inbox_id is 'Order of arrival.';
comment on column queue.workflow_inbox.run_id is 'The run that waits.';
comment on column queue.workflow_inbox.event is 'The event that its step waits for.';
comment on column queue.workflow_inbox.payload is 'The message.';
