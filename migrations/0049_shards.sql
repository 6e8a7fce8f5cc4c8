-- The fleet that this database is a shard of. Both tables are empty in a database that stands alone.

create table queue.fleet (
  epoch           bigint not null,
  fleet_id        uuid not null,
  joined_at       timestamptz not null,
  shard           smallint not null,
  is_the_only_one boolean not null default true,
  slots           smallint[] not null,
  constraint fleet_pkey primary key (is_the_only_one),
  constraint fleet_is_the_only_one check (is_the_only_one),
  constraint fleet_epoch_is_positive check (epoch >= 1),
  constraint fleet_has_1024_slots check (array_ndims(slots) = 1 and cardinality(slots) = 1024)
);

comment on table queue.fleet is
  'One row in a shard: its fleet, and its copy of the map. No row in a database that stands alone.';
comment on column queue.fleet.epoch is 'Version of the map.';
comment on column queue.fleet.fleet_id is 'Identity of the fleet.';
comment on column queue.fleet.joined_at is 'When this database joined, by its clock.';
comment on column queue.fleet.shard is 'Number of this shard.';
comment on column queue.fleet.is_the_only_one is 'There is one row.';
comment on column queue.fleet.slots is 'By slot of a route, the number of the shard where it is at home.';

create table queue.fleet_shard (
  shard  smallint not null,
  name   text not null,
  blocks smallint[] not null,
  constraint fleet_shard_pkey primary key (shard),
  constraint fleet_shard_name_key unique (name)
);

comment on table queue.fleet_shard is 'One row a shard of the fleet, this one included.';
comment on column queue.fleet_shard.shard is 'Number of the shard.';
comment on column queue.fleet_shard.name is 'Name of the shard, as clients and workers call it.';
comment on column queue.fleet_shard.blocks is 'Blocks of ids that are of this shard: an id belongs to block id >> 36.';
