-- Several messages of a group in one receive.

alter table queue.queue add column grouped_at timestamptz;

comment on column queue.queue.grouped_at is 'When messages of one group were first received together; null means never, and no message of the queue is in flight behind the head of its group.';
