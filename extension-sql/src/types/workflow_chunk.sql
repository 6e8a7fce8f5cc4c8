create type queue.workflow_chunk as (
  "position" bigint,
  written_at timestamptz,
  step       text,
  attempt    integer,
  chunk      jsonb
);

comment on type queue.workflow_chunk is
  'A piece of the output that a run streams. Step and attempt tell the call that wrote it; both are null for the body.';
