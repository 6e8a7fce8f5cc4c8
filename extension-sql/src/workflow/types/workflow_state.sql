create type queue.workflow_state as (
  run_id          bigint,      -- not null
  name            text,        -- not null
  version         integer,     -- not null
  status          text,        -- running | completed | failed | cancelled
  activity        text,        -- queued | ready | executing | sleeping | waiting | retrying | delayed | pausing | paused | null
  input           jsonb,       -- may be null
  output          jsonb,       -- may be null
  error           jsonb,       -- may be null
  idempotency_key text,        -- may be null
  tags            jsonb,       -- may be null
  attempt         integer,     -- may be null
  waits           jsonb,       -- may be null
  retries         jsonb,       -- may be null
  started_at      timestamptz, -- not null
  completed_at    timestamptz, -- may be null
  deadline        timestamptz, -- may be null
  resumes_at      timestamptz, -- may be null
  paused_at       timestamptz, -- may be null
  pause_reason    text,        -- may be null
  rerun_of        bigint,      -- may be null
  superseded_by   bigint,      -- may be null
  scheduled_at    timestamptz, -- may be null
  in_progress     jsonb,       -- may be null
  failure_of      bigint,      -- may be null
  retried         integer,     -- not null
  failures        jsonb,       -- may be null
  generation      integer,     -- not null
  parent_run_id   bigint,      -- may be null
  is_item         boolean      -- not null
);

comment on type queue.workflow_state is
  'A run, for display. waits, retries, in_progress and failures: null instead of an empty array. in_progress: [{"step", "attempt", "since", "worker"}]. resumes_at: infinity if only a signal or a resume wakes the run.';
comment on column queue.workflow_state.activity is
  'The current activity of a running run; null once it has ended. queued: it waits for its turn by the flow control of its workflow. pausing: it was paused, and its worker finishes the running callbacks. paused: it executes nothing.';
comment on column queue.workflow_state.attempt is
  'Deliveries since the last progress of a running run; more than one means that workers have crashed with it.';
comment on column queue.workflow_state.waits is
  'Sleeps and events that the run waits for, with their deadlines.';
comment on column queue.workflow_state.retries is
  'Failed steps that will be retried: attempts so far, the time of the next one, the last error, and all errors (`failures`).';
comment on column queue.workflow_state.deadline is
  'When the run fails unless it has ended before; null for never.';
comment on column queue.workflow_state.resumes_at is
  'When a blocked run resumes by itself; null if it is not blocked, or only a signal or a resume wakes it.';
comment on column queue.workflow_state.paused_at is
  'When the run was paused; null if it is not paused.';
comment on column queue.workflow_state.rerun_of is
  'The run that this one repeats; null unless it is a rerun.';
comment on column queue.workflow_state.superseded_by is
  'The run that has taken over its idempotency key.';
comment on column queue.workflow_state.scheduled_at is
  'The tick that started the run, whose tag `schedule` names the schedule; null if no schedule did.';
comment on column queue.workflow_state.in_progress is
  'Steps whose current call has taken longer than a second, as workers report them.';
comment on column queue.workflow_state.failure_of is
  'The run whose failure this one handles; null unless it is a failure handler.';
comment on column queue.workflow_state.retried is
  'The number of retries by the `runRetry` policy of its workflow.';
comment on column queue.workflow_state.failures is
  'The errors before these retries.';
comment on column queue.workflow_state.generation is
  'The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`.';
comment on column queue.workflow_state.parent_run_id is
  'The run whose step started this one; null if it was started from outside.';
comment on column queue.workflow_state.is_item is
  'Whether the run executes the body of a loop once, as an item of another run of its definition or as a rerun of one.';
