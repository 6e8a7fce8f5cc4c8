-- The kinds of steps that a journal may hold. Not validated: existing rows passed the narrower rule.

alter table queue.workflow_step
  drop constraint step_kind_is_known,
  add constraint step_kind_is_known
    check (kind in ('run', 'sleep', 'wait', 'rollback', 'invoke', 'signal', 'publish', 'tx')) not valid;

comment on column queue.workflow_step.kind is
  'run, sleep, wait, rollback, invoke, signal, publish or tx.';
