create type queue.workflow_refusal as (
  name    text,        -- not null
  version integer,     -- not null
  pool    text,        -- not null
  runs    bigint,      -- not null
  since   timestamptz, -- not null
  reason  text         -- not null
);

comment on type queue.workflow_refusal is
  'A version whose runs workers give back, as returned by workflow_refusals(). since: of the run that was given back first. reason: of the one that was given back last.';
