-- The registry of queues, and the deduplication ids of FIFO queues.
--
-- The messages of queue n are in queue.q_<n>, which queue._create_queue_table() makes with the queue. The names
-- of its indexes and of its sequence begin otherwise, so that no queue's table can collide with them.

create table queue.queue (
  created_at         timestamptz not null default clock_timestamp(),
  visibility_timeout integer not null,
  max_receives       integer,
  name               text not null,
  kind               text not null,
  dead_letter_queue  text,
  constraint queue_pkey primary key (name),
  constraint dead_letter_queue_exists foreign key (dead_letter_queue) references queue.queue (name),
  constraint kind_is_known check (kind in ('standard', 'fifo', 'workflow')),
  constraint visibility_timeout_is_not_negative check (visibility_timeout >= 0),
  constraint max_receives_is_positive check (max_receives > 0),
  constraint max_receives_goes_with_dead_letter_queue check ((max_receives is null) = (dead_letter_queue is null)),
  constraint dead_letter_queue_is_another_queue check (dead_letter_queue <> name)
);

create index queue_dead_letter_queue on queue.queue (dead_letter_queue)
  where dead_letter_queue is not null;

comment on table queue.queue is
  'One row a queue, from create_queue() to drop_queue(). Its messages are in queue.q_<name>.';
comment on column queue.queue.created_at is 'When the queue was created.';
comment on column queue.queue.visibility_timeout is 'Seconds for which a received message is in flight, where receive() is not told otherwise.';
comment on column queue.queue.max_receives is 'How often a message is delivered before it moves to the dead letter queue; null: for ever.';
comment on column queue.queue.name is 'Name of the queue; one that begins with "__" is Oxbow''s own.';
comment on column queue.queue.kind is 'standard, fifo (order within a message group) or workflow (continuations of runs).';
comment on column queue.queue.dead_letter_queue is 'Queue that messages move to after max_receives deliveries.';

create table queue.deduplication (
  expires_at       timestamptz not null,
  msg_id           bigint not null,
  queue_name       text not null,
  deduplication_id text not null,
  constraint deduplication_pkey primary key (queue_name, deduplication_id)
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
);

create index deduplication_expiry on queue.deduplication (expires_at);

comment on table queue.deduplication is
  'Deduplication ids that send_fifo() has seen of late. Expired rows are reused, and swept a few at a time by later sends.';
comment on column queue.deduplication.expires_at is 'From when on the id may be used again.';
comment on column queue.deduplication.msg_id is 'The message that was sent with the id.';
comment on column queue.deduplication.queue_name is 'The queue; an id counts within its queue.';
comment on column queue.deduplication.deduplication_id is 'As given to send_fifo().';
