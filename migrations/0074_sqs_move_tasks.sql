-- Tasks that move messages out of dead-letter queues, which clients of SQS start.

create table queue.sqs_move_task (
  task_id       bigint generated always as identity,
  started_at    timestamptz not null,
  due_at        timestamptz not null,
  stalled_since timestamptz,
  moved         bigint not null default 0,
  to_move       bigint not null,
  rate          integer,
  source        text not null,
  target        text,
  status        text not null default 'running',
  failure       text,
  constraint sqs_move_task_pkey primary key (task_id),
  constraint rate_is_limited check (rate between 1 and 500),
  constraint status_is_known check (status in ('running', 'completed', 'cancelled', 'failed'))
);

create index sqs_move_task_source on queue.sqs_move_task (source, task_id);
create unique index sqs_move_task_running on queue.sqs_move_task (source) where status = 'running';

comment on table queue.sqs_move_task is 'One row per task that a client of SQS has started to move the messages of a dead-letter queue. The newest ten of each queue are kept.';
comment on column queue.sqs_move_task.task_id is 'Identifies the task.';
comment on column queue.sqs_move_task.started_at is 'When it was started.';
comment on column queue.sqs_move_task.due_at is 'When the next messages are moved, while it is running.';
comment on column queue.sqs_move_task.stalled_since is 'Since when no message could be moved, though messages are left; null if the last attempt moved one.';
comment on column queue.sqs_move_task.moved is 'How many messages it has moved.';
comment on column queue.sqs_move_task.to_move is 'How many messages were not in flight when it was started.';
comment on column queue.sqs_move_task.rate is 'Messages a second; null if the client did not limit them.';
comment on column queue.sqs_move_task.source is 'The queue that messages leave.';
comment on column queue.sqs_move_task.target is 'The queue that they go to, by its name for clients of SQS; null if each goes back to the queue that it comes from.';
comment on column queue.sqs_move_task.status is 'running, completed, cancelled or failed.';
comment on column queue.sqs_move_task.failure is 'Why it failed; null if it did not.';
