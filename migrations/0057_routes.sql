-- Routes of runs, and routes that are at home elsewhere than the map was dealt.

alter table queue.workflow_run add column route text;

comment on column queue.workflow_run.route is
  'What the run belongs with, such as a tenant: runs of one route are in one shard. A child has that of its parent, unless it was invoked with one. Null: none.';

alter table queue.fleet_shard add column is_open boolean not null default true;

comment on column queue.fleet_shard.is_open is
  'False for a shard that was added to the fleet, until runs may start there and move there: clients need not know its url.';

create table queue.fleet_pin (
  epoch bigint not null,
  shard smallint not null,
  route text not null,
  constraint fleet_pin_pkey primary key (route)
);

comment on table queue.fleet_pin is
  'One row per route that was pinned to a shard, whatever the home of its slot. Each shard has its own copy. Empty in a database that stands alone.';
comment on column queue.fleet_pin.epoch is
  'Version of the map since which this is so, by the count of the shard that gave the route away: of two rows for a route, the higher one is true.';
comment on column queue.fleet_pin.shard is 'Number of the shard where the route is at home.';
comment on column queue.fleet_pin.route is 'The route.';

create table queue.fleet_slot (
  epoch bigint not null,
  shard smallint not null,
  slot  smallint not null,
  constraint fleet_slot_pkey primary key (slot)
);

comment on table queue.fleet_slot is
  'One row per slot whose routes have moved since the map was dealt. Each shard has its own copy. Empty in a database that stands alone.';
comment on column queue.fleet_slot.epoch is 'As queue.fleet_pin.epoch.';
comment on column queue.fleet_slot.shard is 'Number of the shard where the routes of the slot are at home, unless they are pinned.';
comment on column queue.fleet_slot.slot is 'The slot, 0 to 1023.';

create table queue.leaving_home (
  shard smallint not null,
  slot  smallint not null,
  route text not null,
  constraint leaving_home_pkey primary key (slot, route, shard)
);

comment on table queue.leaving_home is
  'One row per route, or slot, whose idempotency keys are being sent to the shard that becomes its home. A move that was given up leaves its rows until the home changes.';
comment on column queue.leaving_home.shard is 'Number of the shard that becomes the home.';
comment on column queue.leaving_home.slot is 'The slot of the route, or that moves.';
comment on column queue.leaving_home.route is 'The route; empty for all routes of the slot.';

alter table queue.fleet_shard add column is_draining boolean not null default false;

comment on column queue.fleet_shard.is_draining is
  'The shard is emptied: clients start nothing there that has no home, and nothing moves there.';

alter table queue.schedule
  add column home_epoch bigint,
  add column slot smallint;

create index schedule_slot on queue.schedule (slot) where slot is not null;

comment on column queue.schedule.home_epoch is
  'Version of the map since which this shard is the home of the schedule, if another one has handed it over: it stays if the map names an older home. Null: it was created here.';
comment on column queue.schedule.slot is
  'Slot of the route that the name begins with, with whose home the schedule moves. Null: the schedule stays, since the database stands alone, or it belongs to a definition.';

update queue.schedule as s
set slot = queue._route_slot(queue._route_of(s.name))
where s.definition_id is null
  and exists (select from queue.fleet);

comment on column queue.outbox.kind is
  'Its effect there: signal, cancel, start, child, child_cancel, child_end, run, keys, schedules or home.';
