create type queue.hook as (
  hook_id    text,        -- not null
  definition text,        -- not null
  trigger    text,        -- not null
  verify     text,        -- signature | github | token
  created_at timestamptz, -- not null
  identical  text         -- once | each
);

comment on type queue.hook is
  'A webhook trigger that is in force, as returned by trigger_hooks(). verify: how its deliveries prove where they come from. identical: whether a body that was delivered before is the same delivery, if nothing else is signed.';
