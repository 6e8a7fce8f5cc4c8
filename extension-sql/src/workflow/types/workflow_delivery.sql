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
  failure_of   bigint,
  retried      integer,
  deadline     timestamptz,
  bytes        bigint
);

comment on type queue.workflow_delivery is
  'One lease of a run with all that a replay needs: input, journal in commit order, waits and retries; schedule, {"name", "scheduled_at"}, where one has started the run; trace, the headers of the trace that its start was part of; failure_of, the run whose failure it handles; retried, how often the run was retried by the policy of its workflow; deadline, at which the run fails, null for none; bytes, about how large input and journal are.';
