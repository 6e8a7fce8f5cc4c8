create type queue.topic_target as (
  subscription_id bigint,  -- not null
  pattern         text,    -- not null
  target_type     text,    -- queue | workflow | http | run | definition
  target          text,    -- not null
  input           jsonb,   -- may be null
  key             text,    -- may be null
  problem         text,    -- may be null
  is_strict       boolean  -- not null
);

comment on type queue.topic_target is
  'A subscription that a message of a topic would go to.';
comment on column queue.topic_target.target is
  'Name of the queue or workflow, the url, the id of a run that waits for the topic, or the pool whose workers evaluate triggers of definitions.';
comment on column queue.topic_target.input is
  'What the target would get: the message, or what the options of the subscription make of it.';
comment on column queue.topic_target.key is
  'The idempotency key of the run, or the message group; null without the options once_for and group.';
comment on column queue.topic_target.problem is
  'Why the message would become a dead letter; null if it would be delivered.';
comment on column queue.topic_target.is_strict is
  'With a problem, publishing fails instead.';
