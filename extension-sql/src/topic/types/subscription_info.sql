create type queue.subscription_info as (
  subscription_id bigint,      -- not null
  pattern         text,        -- not null
  target_type     text,        -- queue | workflow | http
  target          text,        -- not null
  filter          jsonb,       -- may be null
  options         jsonb,       -- not null
  created_at      timestamptz, -- not null
  failing_since   timestamptz, -- may be null
  disabled_at     timestamptz, -- may be null
  disabled_reason text         -- may be null
);

comment on type queue.subscription_info is
  'A subscription as returned by list_subscriptions().';
