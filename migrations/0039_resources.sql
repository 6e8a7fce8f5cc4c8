-- Resources: types of things that definitions name, and what names each of them.

create table queue.resource_type (
  registered_at timestamptz not null,
  name          text not null,
  title         text,
  pool          text not null,
  table_name    text,
  id_column     text,
  schema        jsonb,
  constraint resource_type_pkey primary key (name),
  constraint resource_type_has_a_table_with_its_column check ((table_name is null) = (id_column is null))
);

comment on table queue.resource_type is
  'One row a type of resources, as the workers that serve definitions have registered it last.';
comment on column queue.resource_type.registered_at is 'When a worker registered it, or changed it last.';
comment on column queue.resource_type.name is 'Name of the type, as documents use it.';
comment on column queue.resource_type.title is 'Title in editors; null: the name.';
comment on column queue.resource_type.pool is 'Workers that list resources of the type.';
comment on column queue.resource_type.table_name is 'Table of the application that has the resources, as its workers name it; null: none.';
comment on column queue.resource_type.id_column is 'Column of that table that has the ids.';
comment on column queue.resource_type.schema is 'JSON Schema of a resource; null: any value.';

create table queue.resource_reference (
  reference_id bigint generated always as identity,
  version      integer not null,
  owner_type   text not null,
  owner_id     text not null,
  type         text not null,
  id           text not null,
  pointer      text not null,
  title        text,
  constraint resource_reference_pkey primary key (reference_id),
  constraint reference_version_is_not_negative check (version >= 0)
);

create index resource_reference_target on queue.resource_reference (type, id);
create index resource_reference_owner on queue.resource_reference (owner_type, owner_id, version);

comment on table queue.resource_reference is
  'One row per place at which an owner names a resource, written in the transaction that writes the owner.';
comment on column queue.resource_reference.reference_id is 'Identity of the reference.';
comment on column queue.resource_reference.version is 'Version of a definition; 0: its draft, or an owner without versions.';
comment on column queue.resource_reference.owner_type is 'definition, or a kind of object of the application.';
comment on column queue.resource_reference.owner_id is 'Name of the definition, or id of the object.';
comment on column queue.resource_reference.type is 'Type of the resource.';
comment on column queue.resource_reference.id is 'Id of the resource.';
comment on column queue.resource_reference.pointer is 'Where the owner names it, as a JSON Pointer.';
comment on column queue.resource_reference.title is 'Title in lists, for an owner without versions; null: its id.';

create table queue.resource_protection (
  protected_at  timestamptz not null,
  protection_id bigint generated always as identity,
  type          text not null,
  constraint resource_protection_pkey primary key (protection_id),
  constraint resource_protection_type unique (type)
);

comment on table queue.resource_protection is
  'One row per type of resources that cannot be deleted while they are referenced. The table queue.protected_reference_<protection_id> has a foreign key to the table of the application.';
comment on column queue.resource_protection.protected_at is 'When it was protected.';
comment on column queue.resource_protection.protection_id is 'Identity of the protection.';
comment on column queue.resource_protection.type is 'The type.';
