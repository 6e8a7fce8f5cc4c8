-- Items that cross from one shard to another. Both tables are empty in a database that stands alone.

alter table queue.fleet_shard
  add column seen_tail bigint,
  add column answered_at timestamptz;

comment on column queue.fleet_shard.seen_tail is
  'The tail that accept() of the other shard returned last: another number means that it may have lost its last commits. Null before the first answer. The lock on the row is that of the one relay to the shard.';
comment on column queue.fleet_shard.answered_at is
  'When accept() of the other shard answered last, by the clock of this one. Null before the first answer.';

alter table queue.workflow_run
  add column rewound integer;

comment on column queue.workflow_run.rewound is
  'How often the run was retried, by hand or by the policy of its workflow; null: never. Unlike retried, it only grows.';

create table queue.outbox (
  item_id      bigint generated always as identity,
  created_at   timestamptz not null,
  delivered_at timestamptz,
  target       smallint not null,
  kind         text not null,
  cause        text,
  problem      text,
  body         jsonb not null,
  constraint outbox_pkey primary key (item_id)
);

create index outbox_pending_idx on queue.outbox (target, item_id) where delivered_at is null and problem is null;
create index outbox_delivered_idx on queue.outbox (target, delivered_at) where delivered_at is not null;
create index outbox_rejected_idx on queue.outbox (item_id) where problem is not null;

comment on table queue.outbox is
  'One row per item for another shard, written by the transaction that causes it. Delivered items are kept until the target has answered more than an hour after.';
comment on column queue.outbox.item_id is 'Orders the items. Ids commit out of order.';
comment on column queue.outbox.created_at is 'When the item was written.';
comment on column queue.outbox.delivered_at is 'When the target had accepted the item; null until then.';
comment on column queue.outbox.target is 'Number of the shard that the item is for.';
comment on column queue.outbox.kind is 'Its effect there: signal.';
comment on column queue.outbox.cause is
  'Identifies the cause of the item, if a step is: repeated after a lost commit, it causes no second effect; repeated by a retry of its run, it does. Null: the item id does.';
comment on column queue.outbox.problem is 'Why the target has rejected the item; null: it has not.';
comment on column queue.outbox.body is 'Arguments of the effect.';

create table queue.accepted (
  accepted_at timestamptz not null,
  item_id     bigint not null,
  source      smallint not null,
  cause       text not null,
  constraint accepted_pkey primary key (source, cause)
);

create index accepted_source_accepted_at_idx on queue.accepted (source, accepted_at);

comment on table queue.accepted is
  'One row per item of another shard that was carried out here, written with its effect. Kept until the source has noted it, and has noted another one that was carried out more than a day after.';
comment on column queue.accepted.accepted_at is 'When the item was carried out, or arrived again.';
comment on column queue.accepted.item_id is 'Id of the item in the outbox of its source.';
comment on column queue.accepted.source is 'Number of the shard that the item is from.';
comment on column queue.accepted.cause is
  'Identifies the cause of the item, as outbox_take() returns it: when its source joined the fleet, in hexadecimal microseconds, and queue.outbox.cause or the item id.';
