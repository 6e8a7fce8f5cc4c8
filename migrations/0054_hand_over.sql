-- Runs that move from one shard to another. The tables are empty in a database that stands alone.

create table queue.elsewhere (
  run_id  bigint not null,
  item_id bigint not null,
  shard   smallint not null,
  constraint elsewhere_pkey primary key (run_id)
);

comment on table queue.elsewhere is
  'One row per run that was here and has moved to another shard, kept for as long as the database. A run that moves on leaves its next row there; one that comes back has none.';
comment on column queue.elsewhere.run_id is 'The run.';
comment on column queue.elsewhere.item_id is 'The item of queue.outbox with its rows: until that is delivered, the run is on its way.';
comment on column queue.elsewhere.shard is 'Number of the shard that it has moved to.';

create table queue.key_elsewhere (
  run_id          bigint not null,
  shard           smallint not null,
  workflow_name   text not null,
  idempotency_key text not null,
  constraint key_elsewhere_pkey primary key (workflow_name, idempotency_key)
);

comment on table queue.key_elsewhere is
  'One row per idempotency key whose run has moved to another shard: a start with the key goes there.';
comment on column queue.key_elsewhere.run_id is 'The run that took the key along.';
comment on column queue.key_elsewhere.shard is 'Number of the shard that the run has moved to.';
comment on column queue.key_elsewhere.workflow_name is 'Name of the workflow.';
comment on column queue.key_elsewhere.idempotency_key is 'The key.';

create table queue.departing (
  run_id    bigint not null,
  shard     smallint not null,
  is_paused boolean not null,
  constraint departing_pkey primary key (run_id)
);

comment on table queue.departing is
  'One row per run that moves as soon as its worker gives it back.';
comment on column queue.departing.run_id is 'The run.';
comment on column queue.departing.shard is 'Number of the shard that it moves to.';
comment on column queue.outbox.kind is 'Its effect there: signal, cancel or run.';
comment on column queue.departing.is_paused is 'Whether it was paused for that, and is resumed when it moves.';
