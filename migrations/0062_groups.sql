-- Message groups that move from one shard to another. The tables are empty in a database that stands alone.

create table queue.leaving_group (
  held_id          bigint,
  visible_at       timestamptz,
  queue_name       text not null,
  message_group_id text not null,
  constraint leaving_group_pkey primary key (queue_name, message_group_id)
);

comment on table queue.leaving_group is
  'One row per message group that is here, and moves to the home of its route as soon as its head isn''t in flight.';
comment on column queue.leaving_group.held_id is
  'The message behind the head in flight, which no consumer receives here, so that the group comes to rest. 0: there is none, and the next one to be sent is held. Null: the group has not been asked to rest.';
comment on column queue.leaving_group.visible_at is 'When the held message becomes visible where it arrives; null: none is held.';
comment on column queue.leaving_group.queue_name is 'The queue.';
comment on column queue.leaving_group.message_group_id is 'The group.';

create table queue.group_elsewhere (
  shard            smallint not null,
  queue_name       text not null,
  message_group_id text not null,
  constraint group_elsewhere_pkey primary key (queue_name, message_group_id)
);

comment on table queue.group_elsewhere is
  'One row per message group that is at home here, and has not arrived: sends go to the shard where it is.';
comment on column queue.group_elsewhere.shard is 'Number of the shard where it is, or was.';
comment on column queue.group_elsewhere.queue_name is 'The queue.';
comment on column queue.group_elsewhere.message_group_id is 'The group.';

alter table queue.deduplication add column message_group_id text;

comment on column queue.deduplication.message_group_id is
  'The group of the message, with which the id moves. Null in a database that stands alone.';

comment on column queue.outbox.kind is
  'Its effect there: signal, cancel, start, child, child_cancel, child_end, run, keys, schedules, groups, group or home.';

do $fleet$
begin
  if exists (select from queue.fleet) then
    create type queue.in_fleet as ();
    comment on type queue.in_fleet is
      'Marks that this database is a shard of a fleet. Functions look for this name in the catalog cache and read no table.';
    create index deduplication_group on queue.deduplication (queue_name, message_group_id) where message_group_id is not null;
  end if;
end
$fleet$;
