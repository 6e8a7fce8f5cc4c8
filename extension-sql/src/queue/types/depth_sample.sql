create type queue.depth_sample as (
  sampled_at  timestamptz, -- not null
  visible     bigint,      -- may be null
  in_flight   bigint,      -- may be null
  delayed     bigint,      -- may be null
  oldest_at   timestamptz, -- may be null
  is_estimate boolean      -- not null
);

comment on type queue.depth_sample is
  'How many messages a queue held from an instant until the next sample. visible: ready, or with an expired lease. in_flight: leased. delayed: whose delay had not passed. These three are null if the depth is not known. oldest_at: when the oldest was sent, maybe a moment after the instant; null if the queue was empty or the depth is not known. is_estimate: the queue was too large to count.';
