create type queue.definition_document as (
  name     text,    -- not null
  version  integer, -- not null
  state    text,    -- published | archived | test
  pool     text,    -- not null
  hash     text,    -- not null
  document jsonb,   -- not null
  compiled jsonb,   -- may be null
  layout   jsonb,   -- may be null
  test     jsonb    -- may be null
);

comment on type queue.definition_document is
  'A version of a definition with its document, as returned by definition_documents(). compiled: what the checker derived from the document. layout: positions of its nodes; null if they were not stored. test: of the version of a test run, its options and pins.';
