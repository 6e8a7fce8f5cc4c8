create type queue.node_type_entry as (
  pool          text,        -- not null
  type          text,        -- not null
  version       integer,     -- not null
  descriptor    json,        -- not null
  registered_at timestamptz, -- not null
  last_seen_at  timestamptz, -- not null
  is_served     boolean      -- not null
);

comment on type queue.node_type_entry is
  'A node type in the catalog.';
comment on column queue.node_type_entry.type is
  'Its name, without the version.';
comment on column queue.node_type_entry.descriptor is
  'Schemas, handles, title and documentation, as its worker described them.';
comment on column queue.node_type_entry.registered_at is
  'When the descriptor was stored or changed.';
comment on column queue.node_type_entry.last_seen_at is
  'When a worker that serves it reported it last; up to 15 minutes less than the truth.';
comment on column queue.node_type_entry.is_served is
  'Whether a worker has reported it within the last hour.';
