create type queue.once_holder as (
  event_id   bigint,      -- not null
  run_id     bigint,      -- may be null
  started_at timestamptz, -- not null
  trigger    text         -- not null
);

comment on type queue.once_holder is
  'The event and the run that hold a key of once_for, as returned by once_get(). The run may have been deleted since.';
