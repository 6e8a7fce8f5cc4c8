create type queue.served_definition as (
  name    text,    -- not null
  version integer, -- not null
  hash    text     -- not null
);

comment on type queue.served_definition is
  'A version that workers must know, as returned by definition_served(). hash: of its document.';
