-- Config: values of the environment that definitions name.

create table queue.definition_config (
  changed_at timestamptz not null,
  name       text not null,
  changed_by text not null,
  value      jsonb not null,
  constraint definition_config_pkey primary key (name)
);

comment on table queue.definition_config is
  'One row a value of the environment, such as the name of a channel: documents name it, so that one document runs in several environments.';
comment on column queue.definition_config.changed_at is 'When it was set.';
comment on column queue.definition_config.name is 'Name of the value, as documents use it.';
comment on column queue.definition_config.changed_by is 'Actor that set it.';
comment on column queue.definition_config.value is 'The value. It is no secret.';
