create type queue.trigger_spec as (
  name    text,  -- not null
  kind    text,  -- topic | run.ended | webhook | schedule | manual
  pattern text,  -- may be null
  filter  jsonb, -- may be null
  spec    jsonb  -- not null
);

comment on type queue.trigger_spec is 'A trigger of a version, with the messages that it wants.';
