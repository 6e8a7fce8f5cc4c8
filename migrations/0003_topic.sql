-- Subscriptions to topics.
--
-- There is no table of topics: every name that a message is published to is a topic. The key begins with the pattern, byte by
-- byte, so that the index of it is a trie of words that a publish walks down; see queue._subscriptions_for().

create table queue.subscription (
  subscription_id bigint generated always as identity,
  created_at      timestamptz not null default clock_timestamp(),
  filter_hash     bigint not null,
  pattern         text collate "C" not null,
  filter_path     text collate "C" not null,
  target_type     text not null,
  target          text not null,
  filter          jsonb,
  options         jsonb not null,
  constraint subscription_pkey primary key (subscription_id),
  constraint target_type_is_known check (target_type in ('queue', 'http', 'workflow')),
  constraint options_are_an_object check (jsonb_typeof(options) = 'object'),
  constraint no_filter_has_no_path check (filter is not null or filter_path = '')
);

create index subscription_match on queue.subscription (pattern, filter_path, filter_hash);
create index subscription_target on queue.subscription (target_type, target);

comment on table queue.subscription is
  'One row a subscription, from subscribe() to unsubscribe(): where messages of the topics that match go.';
comment on column queue.subscription.subscription_id is 'Identity of the subscription.';
comment on column queue.subscription.created_at is 'When subscribe() was called.';
comment on column queue.subscription.filter_hash is 'jsonb_hash_extended() of the value that the filter wants at filter_path; 0 where there is no path.';
comment on column queue.subscription.pattern is 'Words split by "."; "*" is any one word, "#" any number of words.';
comment on column queue.subscription.filter_path is 'The path, as a text array, of the one value of the filter that the index knows; empty when there is none.';
comment on column queue.subscription.target_type is 'queue, http or workflow.';
comment on column queue.subscription.target is 'Name of the queue or of the workflow, or the url.';
comment on column queue.subscription.filter is 'JSON that a message must contain (message @> filter); null takes all.';
comment on column queue.subscription.options is 'As given to subscribe().';
