-- Operating runs: owners of idempotency keys, pauses, reruns, deduplicated signals, and indexes to find runs by.
-- A run that starts and completes by itself writes one index entry more than before, of
-- workflow_run_ended; all other indexes here are partial, and hold only runs for which something unusual is true.

alter table queue.workflow_run
  add column superseded_by bigint,
  add column rerun_of bigint,
  add column paused_at timestamptz,
  add column pause_reason text,
  add constraint only_running_run_is_paused check (paused_at is null or status = 'running');

comment on column queue.workflow_run.superseded_by is 'The run that took over the idempotency key; null: this run holds it, if it has one.';
comment on column queue.workflow_run.rerun_of is 'The run that this one repeats.';
comment on column queue.workflow_run.paused_at is 'Since when a running run executes nothing, until workflow_resume(); null: it isn''t paused.';
comment on column queue.workflow_run.pause_reason is 'As given to workflow_pause().';

drop index queue.workflow_run_idempotency_key;
create unique index workflow_run_idempotency_key on queue.workflow_run (workflow_name, idempotency_key)
  where idempotency_key is not null and superseded_by is null;
create index workflow_run_superseded on queue.workflow_run (workflow_name, idempotency_key)
  where superseded_by is not null;
create index workflow_run_ended on queue.workflow_run (workflow_name, run_id)
  where completed_at is not null;
create index workflow_run_unsuccessful on queue.workflow_run (run_id)
  where status in ('failed', 'cancelled');
create index workflow_run_paused on queue.workflow_run (run_id)
  where paused_at is not null;
create index workflow_run_tags on queue.workflow_run using gin (tags jsonb_path_ops)
  where tags is not null;
create index workflow_run_long_retention on queue.workflow_run (completed_at)
  where completed_at is not null and retention_days > 30;

create table queue.workflow_signal_receipt (
  run_id           bigint not null,
  deduplication_id text not null,
  outcome          text not null,
  constraint workflow_signal_receipt_pkey primary key (run_id, deduplication_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_signal_receipt is
  'Deduplication ids of signals that a run has had; they leave with their run.';
comment on column queue.workflow_signal_receipt.run_id is 'The run that was signalled.';
comment on column queue.workflow_signal_receipt.deduplication_id is 'As given to workflow_signal().';
comment on column queue.workflow_signal_receipt.outcome is 'What became of the first signal with the id: delivered or buffered.';

create table queue.workflow_run_state (
  run_id bigint not null,
  set_at timestamptz not null,
  key    text not null,
  value  jsonb,
  constraint workflow_run_state_pkey primary key (run_id, key)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_run_state is
  'What a run tells about itself while it goes on, for others to see; it leaves with its run.';
comment on column queue.workflow_run_state.run_id is 'The run.';
comment on column queue.workflow_run_state.set_at is 'When the value was committed.';
comment on column queue.workflow_run_state.key is 'As given to ctx.set().';
comment on column queue.workflow_run_state.value is 'The last value that was set.';

create table queue.workflow_stream_chunk (
  run_id     bigint not null,
  position   bigint not null,
  written_at timestamptz not null,
  attempt    integer not null,
  number     integer not null,
  step_name  text not null,
  chunk      jsonb,
  constraint workflow_stream_chunk_pkey primary key (run_id, position),
  constraint chunk_is_written_once unique (run_id, step_name, attempt, number)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_stream_chunk is
  'The output that a run streams while it goes on; it leaves with its run.';
comment on column queue.workflow_stream_chunk.run_id is 'The run.';
comment on column queue.workflow_stream_chunk.position is 'Place in the stream of the run, from 1; there may be gaps.';
comment on column queue.workflow_stream_chunk.written_at is 'When the chunk was committed.';
comment on column queue.workflow_stream_chunk.attempt is 'Which call of the step wrote it; of the body, how many rows of the journal it had seen then.';
comment on column queue.workflow_stream_chunk.number is 'The how manieth chunk of that call, from 1: a replay writes none twice.';
comment on column queue.workflow_stream_chunk.step_name is 'The step whose callback wrote it; empty: the body.';
comment on column queue.workflow_stream_chunk.chunk is 'What was written.';
