create type queue.workflow_chunk as (
  "position"  bigint,
  written_at  timestamptz,
  step        text,
  attempt     integer,
  chunk       jsonb,
  reset_since bigint
);

comment on type queue.workflow_chunk is
  'A piece of the output that a run streams. Step and attempt are those of the call that wrote it; both are null for the body. With reset_since it is no chunk, but takes back those of the step from that position on.';
