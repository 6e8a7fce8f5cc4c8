-- Decisions of bodies, in the journal rows whose commits carry them. The rule for kinds is not validated: existing rows
-- passed a narrower one.

alter table queue.workflow_step
  add column decisions jsonb,
  drop constraint step_kind_is_known,
  add constraint step_kind_is_known
    check (kind in ('run', 'sleep', 'wait', 'rollback', 'invoke', 'signal', 'publish', 'tx', 'decision')) not valid;

comment on column queue.workflow_step.decisions is
  'What the body decided by journaled values, in order: [{"name", "output"}], with "before": true if it did so before it got the outcome of this row. Null if it decided nothing, as bodies in code do.';
comment on column queue.workflow_step.kind is
  'run, sleep, wait, rollback, invoke, signal, publish, tx, or decision for a row that only has decisions, because their commit journaled no step.';
comment on column queue.workflow_step.attempts is
  'How many times the callback was called; 0 for a wait that timed out, otherwise 1 for steps without a callback.';
