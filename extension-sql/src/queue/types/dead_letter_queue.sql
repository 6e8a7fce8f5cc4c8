create type queue.dead_letter_queue as (
  name     text,    -- not null
  messages integer, -- not null
  has_more boolean  -- not null
);

comment on type queue.dead_letter_queue is
  'A queue that holds dead letters, as returned by dead_letter_queues(). messages: at most 10000 are counted. has_more: whether it holds more than these.';
