create type queue.definition_version_info as (
  version      integer,     -- not null
  state        text,        -- published | archived
  hash         text,        -- not null
  published_at timestamptz, -- not null
  published_by text,        -- not null
  note         text         -- may be null
);

comment on type queue.definition_version_info is
  'A version of a definition as returned by definition_versions(). hash: equal for versions with equal documents.';
