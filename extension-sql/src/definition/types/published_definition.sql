create type queue.published_definition as (
  version integer, -- not null
  created boolean  -- not null
);

comment on type queue.published_definition is
  'The result of definition_publish(): the published version, and whether this call created it.';
