-- Schemas of the input of workflows in code, which workers register for forms.

-- As it was registered, and so in the author's order, which jsonb doesn't keep.
alter table queue.workflow_version add column input_schema json;

comment on column queue.workflow_version.input_schema is
  'The JSON Schema of the input, as the code of the workflow gives it; null: no worker has registered one.';
