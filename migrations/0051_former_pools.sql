-- Pools that definitions have left, and schedules that no ticker could compute.

create table queue.definition_former_pool (
  left_at       timestamptz not null,
  definition_id bigint not null,
  pool          text not null,
  constraint definition_former_pool_pkey primary key (definition_id, pool),
  constraint definition_former_pool_has_its_definition foreign key (definition_id) references queue.definition
);

create index definition_former_pool_left on queue.definition_former_pool (pool, left_at);

comment on table queue.definition_former_pool is
  'One row a definition with triggers and pool that it has left, until it returns or is deleted: events that were published while it moved are forwarded.';
comment on column queue.definition_former_pool.left_at is 'When it moved to another pool.';
comment on column queue.definition_former_pool.definition_id is 'The definition.';
comment on column queue.definition_former_pool.pool is 'The pool that it has left.';

alter table queue.schedule
  add column is_stopped boolean not null default false,
  add constraint stopped_schedule_is_paused check (not is_stopped or paused_at is not null);

comment on column queue.schedule.is_stopped is
  'Whether it is paused because a ticker could not compute its ticks: it resumes when it is created or published again.';
