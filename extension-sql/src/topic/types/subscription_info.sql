create type queue.subscription_info as (
  subscription_id bigint,
  pattern         text,
  target_type     text,        -- queue | workflow | http
  target          text,
  filter          jsonb,
  options         jsonb,
  created_at      timestamptz,
  failing_since   timestamptz, -- may be null
  disabled_at     timestamptz, -- may be null
  disabled_reason text         -- may be null
);

comment on type queue.subscription_info is
  'A subscription as returned by list_subscriptions().';
