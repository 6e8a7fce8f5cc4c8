create type queue.workflow_journal_entry as (
  name         text,        -- not null
  kind         text,        -- run | sleep | wait | rollback | invoke | detach | signal | publish | tx | decision
  attempts     integer,     -- not null
  output       jsonb,       -- may be null
  error        jsonb,       -- may be null
  started_at   timestamptz, -- not null
  completed_at timestamptz, -- not null
  "position"   integer,     -- not null
  failures     jsonb,       -- may be null
  decisions    jsonb        -- may be null
);

comment on type queue.workflow_journal_entry is
  'A journal row, for display.';
