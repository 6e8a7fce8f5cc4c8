create type queue.topic_dead_letter as (
  letter_id        bigint,      -- not null
  dead_lettered_at timestamptz, -- not null
  subscription_id  bigint,      -- may be null
  target_type      text,        -- queue | workflow | http | null
  target           text,        -- may be null
  topic            text,        -- may be null
  reason           text,        -- may be null
  attempts         integer,     -- may be null
  message          jsonb,       -- not null
  headers          jsonb        -- not null
);

comment on type queue.topic_dead_letter is
  'A message that a subscription could not take, with the reason. attempts: requests to a url; null for other targets.';
