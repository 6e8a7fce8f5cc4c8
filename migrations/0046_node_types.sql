-- Node types that workers have registered, by pool: what definitions may use.

create table queue.node_type (
  registered_at timestamptz not null,
  last_seen_at  timestamptz not null,
  version       integer not null,
  pool          text not null,
  type          text not null,
  descriptor    json not null,
  constraint node_type_pkey primary key (pool, type, version),
  constraint node_type_version_is_positive check (version >= 1),
  constraint descriptor_is_an_object check (json_typeof(descriptor) = 'object')
);

comment on table queue.node_type is
  'One row a node type of a pool, from its first registration. It remains when no worker serves the type any longer.';
comment on column queue.node_type.registered_at is 'When its descriptor was stored or changed.';
comment on column queue.node_type.last_seen_at is 'When a worker that serves it reported it last; up to 15 minutes less than the truth.';
comment on column queue.node_type.version is 'Version of the type: 2 of slack.post@2.';
comment on column queue.node_type.pool is 'Pool of the workers.';
comment on column queue.node_type.type is 'Name of the type: slack.post of slack.post@2.';
comment on column queue.node_type.descriptor is 'Schemas, handles, title and documentation of the type, as its worker described them. Not jsonb, because forms have their fields in the order of the schema.';
