create type queue.subscription_info as (
  subscription_id bigint,
  pattern         text,
  target_type     text,
  target          text,
  filter          jsonb,
  options         jsonb,
  created_at      timestamptz
);

comment on type queue.subscription_info is 'A subscription, as list_subscriptions() tells of it.';
