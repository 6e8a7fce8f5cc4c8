create type queue.trigger_batch as (
  epoch    bigint, -- not null
  triggers jsonb,  -- may be null
  events   jsonb   -- not null
);

comment on type queue.trigger_batch is
  'Events for a worker, as returned by trigger_receive(). triggers: the ones that have changed since the epoch that the worker knows; or null. events: an array, oldest first.';
