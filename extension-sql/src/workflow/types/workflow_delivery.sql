create type queue.workflow_delivery as (
  run_id       bigint,
  receipt      bigint,
  name         text,
  version      integer,
  attempt      integer,
  input        jsonb,
  journal      jsonb,
  continuation jsonb,
  started_at   timestamptz,
  received_at  timestamptz,
  schedule     jsonb,
  trace        jsonb,
  failure_of   bigint,      -- may be null
  retried      integer,
  deadline     timestamptz, -- may be null
  bytes        bigint       -- may be null
);

comment on type queue.workflow_delivery is
  'One lease of a run with everything that a replay needs: input, journal in commit order, and continuation. schedule: {"name", "scheduled_at"} if a schedule started the run. trace: headers of the trace of its start. failure_of: the run whose failure it handles. retried: how often the policy of its workflow has retried it. deadline: when the run fails; null for never. bytes: approximate size of input and journal.';
