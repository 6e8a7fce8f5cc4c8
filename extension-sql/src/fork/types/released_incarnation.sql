create type queue.released_incarnation as (
  released       boolean, -- not null
  incarnation_id uuid,    -- may be null
  leases         bigint,  -- may be null
  timers         bigint,  -- may be null
  captured       bigint   -- may be null
);

comment on type queue.released_incarnation is
  'The result of a release. released: whether this call released the database. incarnation_id: the new identity. leases: runs whose worker was in the source. timers: timers that were shifted or paused. captured: deliveries that were captured.';
