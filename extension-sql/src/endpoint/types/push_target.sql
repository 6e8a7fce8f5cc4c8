create type queue.push_target as (
  endpoint_id     bigint,  -- not null
  url             text,    -- not null
  concurrency     integer, -- not null
  max_duration_ms integer, -- may be null
  serves          jsonb    -- not null
);

comment on type queue.push_target is
  'An endpoint as a server sees it that pushes to it, or checks it. serves: in endpoints_to_push(), the versions whose runs go there; in endpoints_to_check(), what the last check found.';
