create type queue.released_incarnation as (
  released       boolean,
  incarnation_id uuid,
  leases         bigint,
  timers         bigint,
  captured       bigint
);

comment on type queue.released_incarnation is
  'What a release did: whether this call released, the new identity, how many runs lost the worker that they came along with, how many timers were moved or paused, and how many deliveries were captured.';
