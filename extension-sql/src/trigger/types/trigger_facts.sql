create type queue.trigger_facts as (
  event_id         bigint,      -- not null
  published_at     timestamptz, -- not null
  evaluated_at     timestamptz, -- not null
  topic            text,        -- not null
  state            text,        -- evaluated | retrying | failed | refused
  error            text,        -- may be null
  depth            integer,     -- not null
  message          jsonb,       -- not null
  loaded           jsonb,       -- may be null
  version          integer,     -- may be null
  definition_state text,        -- draft | published | paused | archived
  pause_reason     text,        -- may be null
  triggers         jsonb        -- not null
);

comment on type queue.trigger_facts is
  'What decides whether an event starts runs of a definition, as returned by trigger_explain(). version: whose triggers they are; null before the first publication. definition_state, pause_reason: at present. triggers: each with name, kind, spec, pattern, filter, matchesTopic, matchesFilter, wasListening, and match, which is null if nothing was recorded.';
