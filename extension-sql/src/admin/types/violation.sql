create type queue.violation as (
  invariant text, -- not null
  subject   text, -- not null
  detail    text  -- not null
);

comment on type queue.violation is
  'A broken invariant: which one, of which object, and what was found.';
