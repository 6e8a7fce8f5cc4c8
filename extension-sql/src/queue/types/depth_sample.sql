create type queue.depth_sample as (
  sampled_at  timestamptz, -- not null
  visible     bigint,      -- not null
  in_flight   bigint,      -- not null
  delayed     bigint,      -- not null
  oldest_at   timestamptz, -- may be null
  is_estimate boolean      -- not null
);

comment on type queue.depth_sample is
  'How many messages a queue held from an instant until the next sample. visible: ready, or with an expired lease. in_flight: leased. delayed: whose delay had not passed. oldest_at: when the oldest was sent; null if the queue was empty. is_estimate: the queue was too large to count.';
