create type queue.subscription_info as (
  subscription_id bigint,
  pattern         text,
  target_type     text,
  target          text,
  filter          jsonb,
  options         jsonb,
  created_at      timestamptz,
  failing_since   timestamptz,
  disabled_at     timestamptz,
  disabled_reason text
);

comment on type queue.subscription_info is
  'A subscription as returned by list_subscriptions().';
