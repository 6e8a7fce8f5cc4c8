-- What clients of SQS know of a queue, and queues have no setting for.

create table queue.sqs_queue (
  changed_at timestamptz not null,
  purged_at  timestamptz,
  queue_name text not null,
  sqs_name   text not null,
  attributes jsonb not null default '{}',
  tags       jsonb not null default '{}',
  constraint sqs_queue_pkey primary key (queue_name),
  constraint sqs_name_is_unique unique (sqs_name),
  constraint sqs_name_is_valid check (sqs_name ~ '^[A-Za-z0-9_-]+([.]fifo)?$' and length(sqs_name) <= 80),
  constraint attributes_are_an_object check (jsonb_typeof(attributes) = 'object'),
  constraint tags_are_an_object check (jsonb_typeof(tags) = 'object')
);

comment on table queue.sqs_queue is 'One row per queue that a client of SQS has created or changed. Others have names that are derived from theirs.';
comment on column queue.sqs_queue.changed_at is 'When a client of SQS last changed the queue.';
comment on column queue.sqs_queue.purged_at is 'When a client of SQS last purged the queue; null if it has not.';
comment on column queue.sqs_queue.queue_name is 'The queue.';
comment on column queue.sqs_queue.sqs_name is 'Its name for clients of SQS.';
comment on column queue.sqs_queue.attributes is 'Attributes that queues have no setting for, by name: strings.';
comment on column queue.sqs_queue.tags is 'Tags: strings.';
