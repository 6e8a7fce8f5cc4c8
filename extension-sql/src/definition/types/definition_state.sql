create type queue.definition_state as (
  name              text,        -- not null
  title             text,        -- may be null
  folder            text,        -- may be null
  pool              text,        -- not null
  scope             jsonb,       -- may be null
  state             text,        -- draft | published | paused | archived
  revision          integer,     -- not null
  draft_by          text,        -- not null
  drafted_at        timestamptz, -- not null
  has_changes       boolean,     -- not null
  published_version integer,     -- may be null
  published_at      timestamptz, -- may be null
  published_by      text,        -- may be null
  created_at        timestamptz, -- not null
  paused_at         timestamptz, -- may be null
  pause_reason      text,        -- may be null
  archived_at       timestamptz, -- may be null
  is_protected      boolean,     -- not null
  draft             jsonb,       -- not null
  layout            jsonb        -- may be null
);

comment on type queue.definition_state is
  'A definition as returned by definition_get(): definition_summary, with the document of the draft and its layout.';
