create type queue.trigger_event_info as (
  event_id     bigint,      -- not null
  published_at timestamptz, -- not null
  evaluated_at timestamptz, -- not null
  pool         text,        -- not null
  topic        text,        -- not null
  state        text,        -- evaluated | retrying | failed | refused
  error        text,        -- may be null
  attempts     integer,     -- not null
  depth        integer,     -- not null
  message      jsonb,       -- not null
  matches      jsonb        -- not null
);

comment on type queue.trigger_event_info is
  'An event that triggers were evaluated for, as returned by trigger_events(). state: retrying after a failed load, failed for the last time, or refused because too many runs led to it. depth: how many runs that triggers started led to it. matches: up to 100 triggers that it matched or whose guard failed, each with definition, trigger, version, outcome, error, runId and dueAt.';
