create type queue.workflow_chunk as (
  "position"  bigint,      -- not null
  written_at  timestamptz, -- not null
  step        text,        -- may be null
  attempt     integer,     -- may be null
  chunk       jsonb,       -- may be null
  reset_since bigint       -- may be null
);

comment on type queue.workflow_chunk is
  'A chunk of a run''s stream. step, attempt: the call that wrote it; both null for the body. reset_since: if set, this row is a reset, which takes back the chunks of the step from that position on.';
