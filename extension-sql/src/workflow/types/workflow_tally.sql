create type queue.workflow_tally as (
  name      text,   -- not null
  running   bigint, -- not null
  completed bigint, -- not null
  failed    bigint, -- not null
  cancelled bigint  -- not null
);

comment on type queue.workflow_tally is
  'A workflow, and how many of its stored runs have each status.';
