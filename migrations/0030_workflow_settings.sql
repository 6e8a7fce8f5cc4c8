-- Settings of all workflows: a ceiling for how long ended runs are kept.

create table queue.workflow_setting (
  max_retention_days integer,
  is_the_only_one    boolean not null default true,
  constraint workflow_setting_pkey primary key (is_the_only_one),
  constraint workflow_setting_is_the_only_one check (is_the_only_one),
  constraint max_retention_is_not_negative check (max_retention_days >= 0)
);

comment on table queue.workflow_setting is 'One row: settings of all workflows.';
comment on column queue.workflow_setting.max_retention_days is
  'No ended run is kept for longer, whatever it was started with; null: no ceiling.';
comment on column queue.workflow_setting.is_the_only_one is 'There is one row.';

insert into queue.workflow_setting default values;
