-- Items of loops of definitions as child runs.

alter table queue.workflow_run add column is_item boolean;

comment on column queue.workflow_run.is_item is
  'The run is an item of a loop: it executes the body of that loop once, as a part of its parent; null: it is not.';
