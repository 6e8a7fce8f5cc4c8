create type queue.definition_summary as (
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
  is_protected      boolean      -- not null
);

comment on type queue.definition_summary is
  'A definition as returned by definition_list(). state: draft until it is first published. has_changes: whether the draft differs from the published version. published_version, published_at, published_by: null if no version is published.';
