create type queue.workflow_tally as (
  name      text,
  running   bigint,
  completed bigint,
  failed    bigint,
  cancelled bigint
);

comment on type queue.workflow_tally is
  'A workflow, and how many of its stored runs have each status.';
