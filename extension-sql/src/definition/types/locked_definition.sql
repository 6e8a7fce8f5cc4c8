create type queue.locked_definition as (
  definition_id bigint,      -- not null
  paused_at     timestamptz, -- may be null
  archived_at   timestamptz  -- may be null
);

comment on type queue.locked_definition is 'A definition that _lock_definition() has locked.';
