-- Flow control: how many runs of a workflow are in flight, how fast they begin, in which order.

alter table queue.queue
  add column flow_control jsonb;

comment on column queue.queue.flow_control is
  'What workflow_set_flow_control() says of a workflow; null where it was never called.';

-- Whether there is any, which each end of a run asks: one look, whatever has come and gone in the tables below.
create index queue_with_flow_control on queue.queue (queue_id) where flow_control is not null;

create table queue.workflow_admission (
  run_id   bigint not null,
  due_at   timestamptz not null,
  queue_id integer not null,
  version  integer not null,
  priority integer not null,
  is_over  boolean not null default false,
  is_again boolean not null default false,
  state    text not null,
  key      text not null,
  constraint workflow_admission_pkey primary key (run_id),
  constraint admission_state_is_known check (state in ('new', 'waiting', 'candidate', 'admitted'))
);

alter table queue.workflow_admission set (
  fillfactor = 70, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

-- Sessions have ids in store, so that the order of starts is that of their times. A list each, so that what waits behind one key is never walked through for another one.
create index workflow_admission_new on queue.workflow_admission (queue_id, version, due_at)
  where state = 'new' and not is_over;
create index workflow_admission_waiting on queue.workflow_admission (queue_id, key, priority desc, due_at, run_id)
  where state = 'waiting' and not is_over;
create index workflow_admission_candidate on queue.workflow_admission (queue_id, version, priority desc, due_at, run_id)
  where state = 'candidate' and not is_over;
create index workflow_admission_over on queue.workflow_admission (queue_id)
  where is_over;

comment on table queue.workflow_admission is
  'One row a run of a workflow with flow control, from its start until its end has been noticed, or, where nothing counts runs in flight, until it is admitted. Before it is admitted its continuation is not visible. Only starts, ends and whoever holds the lock of the admission (see _admit_runs()) write here.';
comment on column queue.workflow_admission.run_id is 'The run.';
comment on column queue.workflow_admission.due_at is 'When the run may begin at the earliest.';
comment on column queue.workflow_admission.queue_id is 'The queue of the workflow.';
comment on column queue.workflow_admission.version is 'Version of the workflow that the run stays with.';
comment on column queue.workflow_admission.priority is 'The higher goes first.';
comment on column queue.workflow_admission.is_over is 'The run has ended; what it held is to be given to others.';
comment on column queue.workflow_admission.is_again is 'The run has ended, and was retried before anybody took note.';
comment on column queue.workflow_admission.state is 'new: nobody has looked at it. waiting: for its key. candidate: its key lets it begin, and it waits for the workflow. admitted: it is in flight.';
comment on column queue.workflow_admission.key is 'What limits for each key count it under; empty where there is none.';

create table queue.workflow_gate (
  opens_at   timestamptz,
  filled_at  timestamptz not null default '-infinity',
  queue_id   integer not null,
  taken      integer not null default 0,
  candidates integer not null default 0,
  key        text not null,
  constraint workflow_gate_pkey primary key (key, queue_id)
);

alter table queue.workflow_gate set (
  fillfactor = 50, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

create index workflow_gate_opens on queue.workflow_gate (queue_id, opens_at)
  where opens_at is not null;

comment on table queue.workflow_gate is
  'What is counted of a workflow (key empty) and of each of its keys that has runs. Written only by whoever holds the lock of the admission.';
comment on column queue.workflow_gate.opens_at is 'When to look at it again without anything having happened; null: not before something does.';
comment on column queue.workflow_gate.filled_at is 'Until when the rate is used up, as the generic cell rate algorithm counts (ITU-T I.371): each run moves it on by the time that it has for itself.';
comment on column queue.workflow_gate.queue_id is 'The queue of the workflow.';
comment on column queue.workflow_gate.taken is 'Runs that are admitted, those of a key also as candidates, and not over.';
comment on column queue.workflow_gate.candidates is 'Candidates of the key.';
comment on column queue.workflow_gate.key is 'The key; empty: of the whole workflow.';
