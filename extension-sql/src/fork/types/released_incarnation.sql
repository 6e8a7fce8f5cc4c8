create type queue.released_incarnation as (
  released       boolean,
  incarnation_id uuid,
  leases         bigint,
  timers         bigint,
  captured       bigint
);

comment on type queue.released_incarnation is
  'The result of a release. released: whether this call released the database. incarnation_id: the new identity. leases: runs whose worker was in the source. timers: timers that were shifted or paused. captured: deliveries that were captured.';
