-- Lists of resources for pickers, and which registrations of types are in use; triggers by pool.

alter table queue.resource_type
  add column last_seen_at timestamptz,
  add column listed_at timestamptz;

comment on column queue.resource_type.last_seen_at is
  'When a worker reported this registration last; up to 15 minutes less than the truth. Null: before reports.';
comment on column queue.resource_type.listed_at is
  'When a worker that lists resources of the type reported it last; up to 15 minutes less than the truth. Null: none ever did.';

-- Sweeps ask whether a pool has triggers.
create index definition_trigger_pool on queue.definition_trigger (pool);
