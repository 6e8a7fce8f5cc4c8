-- Children in other shards than their parents.

alter table queue.workflow_run add column parent_generation integer;

comment on column queue.workflow_run.parent_generation is
  'The generation of the parent that has invoked the run, if that is in another shard; otherwise null.';

comment on column queue.outbox.kind is 'Its effect there: signal, cancel, start, child, child_cancel, child_end or run.';

-- A run that crosses brings the starters of all that has caused it.
alter table queue.workflow_starter
  drop constraint workflow_starter_pkey,
  add constraint workflow_starter_pkey primary key (run_id, started_by);

comment on table queue.workflow_starter is
  'The people who started a run, the runs that invoked it, and the runs that it repeats, as far as the setting oxbow.actor named them, so that approvals can exclude them.';

-- Where a run has children, so that its cancellation reaches them and no other shard.
alter table queue.workflow_run add column child_shards smallint[];

comment on column queue.workflow_run.child_shards is
  'Numbers of the other shards to which steps of this generation have sent runs that they wait for; null: none.';
