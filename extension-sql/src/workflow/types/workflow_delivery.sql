create type queue.workflow_delivery as (
  run_id       bigint,      -- not null
  receipt      bigint,      -- not null
  name         text,        -- not null
  version      integer,     -- not null
  attempt      integer,     -- not null
  input        jsonb,       -- may be null
  journal      jsonb,       -- may be null
  continuation jsonb,       -- not null
  started_at   timestamptz, -- not null
  received_at  timestamptz, -- not null
  schedule     jsonb,       -- may be null
  trace        jsonb,       -- may be null
  failure_of   bigint,      -- may be null
  retried      integer,     -- not null
  deadline     timestamptz, -- may be null
  bytes        bigint,      -- may be null
  generation   integer      -- not null
);

comment on type queue.workflow_delivery is
  'One lease of a run with everything that a replay needs: input, journal in commit order, and continuation. schedule: {"name", "scheduled_at"} if a schedule started the run. trace: headers of the trace of its start. failure_of: the run whose failure it handles. retried: how often the policy of its workflow has retried it. deadline: when the run fails; null for never. bytes: approximate size of input and journal. generation: the number of the generation, from 1.';
