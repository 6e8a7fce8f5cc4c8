create type queue.resource_type_info as (
  name             text,        -- not null
  title            text,        -- may be null
  schema           jsonb,       -- may be null
  pool             text,        -- not null
  table_name       text,        -- may be null
  id_column        text,        -- may be null
  protected_table  text,        -- may be null
  protected_column text,        -- may be null
  registered_at    timestamptz, -- may be null
  is_listed        boolean      -- not null
);

comment on type queue.resource_type_info is
  'A type of resources as returned by resource_types(). table_name, id_column: as its workers name them. protected_table, protected_column: as given to protect_resource(); null while its resources may be deleted. registered_at: null for a type that is protected and that no worker has registered. is_listed: whether a worker that lists its resources has reported within 20 minutes.';
