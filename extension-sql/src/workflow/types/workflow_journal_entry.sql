create type queue.workflow_journal_entry as (
  name         text,
  kind         text,        -- run | sleep | wait | rollback | invoke | signal | publish | tx
  attempts     integer,
  output       jsonb,
  error        jsonb,
  started_at   timestamptz,
  completed_at timestamptz,
  "position"   integer,
  failures     jsonb
);

comment on type queue.workflow_journal_entry is
  'A journal row, for display.';
