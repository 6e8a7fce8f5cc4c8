create type queue.workflow_chunk as (
  "position"  bigint,
  written_at  timestamptz,
  step        text,
  attempt     integer,
  chunk       jsonb,
  reset_since bigint
);

comment on type queue.workflow_chunk is
  'A chunk of a run''s stream. step, attempt: the call that wrote it; both null for the body. reset_since: if set, this row is a reset, which takes back the chunks of the step from that position on.';
