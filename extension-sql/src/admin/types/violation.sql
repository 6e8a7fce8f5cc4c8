create type queue.violation as (
  invariant text,
  subject   text,
  detail    text
);

comment on type queue.violation is
  'A broken invariant: which one, of which object, and what was found.';
