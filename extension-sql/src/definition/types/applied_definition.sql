create type queue.applied_definition as (
  name     text,    -- not null
  outcome  text,    -- created | changed | unchanged
  revision integer, -- not null
  version  integer  -- may be null
);

comment on type queue.applied_definition is
  'The result of definition_apply() for a definition. outcome: of the draft. version: the published version, or null.';
