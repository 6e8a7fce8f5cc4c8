create type queue.trigger_type_entry as (
  pool         text,        -- not null
  name         text,        -- not null
  topic        text,        -- not null
  loaded       text[],      -- not null
  event_schema jsonb,       -- may be null
  declared_at  timestamptz  -- not null
);

comment on type queue.trigger_type_entry is
  'A trigger type that workers know, as returned by trigger_types().';
comment on column queue.trigger_type_entry.name is
  'Name by which triggers refer to it.';
comment on column queue.trigger_type_entry.topic is
  'Pattern of the topics of its events.';
comment on column queue.trigger_type_entry.loaded is
  'Members of the event that workers load: topics can''t filter by them.';
comment on column queue.trigger_type_entry.event_schema is
  'JSON Schema of the event with what is loaded; null for any event.';
comment on column queue.trigger_type_entry.declared_at is
  'When a worker declared it last with another content.';
