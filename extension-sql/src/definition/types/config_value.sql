create type queue.config_value as (
  name       text,        -- not null
  value      jsonb,       -- not null
  changed_at timestamptz, -- not null
  changed_by text         -- not null
);

comment on type queue.config_value is
  'A value of the environment, as returned by definition_config_list().';
