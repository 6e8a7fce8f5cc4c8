-- Subscriptions whose target has failed for long are disabled.

alter table queue.subscription
  add column failing_since timestamptz,
  add column disabled_at timestamptz,
  add column disabled_reason text,
  add constraint disabled_subscription_has_a_reason check ((disabled_at is null) = (disabled_reason is null));

comment on column queue.subscription.failing_since is
  'Of a url: when the first of the failures in a row was, that nothing has succeeded since; null where the last delivery succeeded.';
comment on column queue.subscription.disabled_at is 'Since when nothing is delivered; null where it is.';
comment on column queue.subscription.disabled_reason is 'How the last delivery before that failed.';

-- Those that somebody has to look at, without the many that are well.
create index subscription_failing on queue.subscription (failing_since) where failing_since is not null;
