create type queue.generation_info as (
  generation integer,     -- not null
  version    integer,     -- not null
  started_at timestamptz, -- not null
  ended_at   timestamptz, -- may be null
  steps      integer,     -- not null
  input      jsonb        -- may be null
);

comment on type queue.generation_info is
  'A generation of a run: what it executed between two calls of `ctx.continueAsNew`.';
comment on column queue.generation_info.ended_at is
  'When the run continued as new, or ended; null for the generation of a run in progress.';
comment on column queue.generation_info.steps is
  'The number of rows of its journal. Those of an ended generation are deleted, unless the run ended with it.';
