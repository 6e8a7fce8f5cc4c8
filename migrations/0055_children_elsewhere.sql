-- Children in other shards than their parents.

alter table queue.workflow_run add column parent_generation integer;

comment on column queue.workflow_run.parent_generation is
  'The generation of the parent that has invoked the run, if that is in another shard; otherwise null.';

comment on column queue.outbox.kind is 'Its effect there: signal, cancel, start, child, child_cancel, child_end or run.';
