create type queue.missing_node_type as (
  definition   text,        -- not null
  version      integer,     -- not null
  pool         text,        -- not null
  type         text,        -- not null
  last_seen_at timestamptz  -- may be null
);

comment on type queue.missing_node_type is
  'A node type that a published definition uses and no worker of its pool serves.';
comment on column queue.missing_node_type.type is
  'Its name with its version, as the document has it.';
comment on column queue.missing_node_type.last_seen_at is
  'When a worker of the pool reported it last; null if no worker ever did.';
