-- Types of resources that workers list, for pickers; triggers by pool.

alter table queue.resource_type add column is_listed boolean not null default false;

comment on column queue.resource_type.is_listed is 'Whether its workers list resources of the type.';

-- Sweeps ask whether a pool has triggers.
create index definition_trigger_pool on queue.definition_trigger (pool);
