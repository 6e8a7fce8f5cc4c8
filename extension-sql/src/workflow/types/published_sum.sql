create type queue.published_sum as (
  tag  text,   -- may be null
  runs bigint, -- not null
  sums jsonb   -- not null
);

comment on type queue.published_sum is
  'Runs with the same value of a tag, and the sums of the numbers in a value that they have published. tag: null for runs without the tag.';
