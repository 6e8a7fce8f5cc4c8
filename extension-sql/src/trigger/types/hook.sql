create type queue.hook as (
  hook_id    text,        -- not null
  definition text,        -- not null
  trigger    text,        -- not null
  verify     text,        -- signature | github | token
  created_at timestamptz  -- not null
);

comment on type queue.hook is
  'A webhook trigger that is in force, as returned by trigger_hooks(). verify: how its deliveries prove where they come from.';
