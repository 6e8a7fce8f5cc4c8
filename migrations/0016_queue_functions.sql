-- The statements of a queue's hot path are in functions of its own from here on, which migrate() makes after the last
-- step: see queue._create_queue_functions().

-- A send to a group asks whether that is empty. It need not look at messages that are known to have gone.
alter table queue.ready_mark
  add column ids_from bigint,
  add column last_id bigint;

comment on column queue.ready_mark.ids_from is 'In a FIFO queue: no message is there, or ever will be, with a smaller id; null where nobody has looked yet.';
comment on column queue.ready_mark.last_id is 'In a FIFO queue: the greatest id of a message that had been received when the mark was made.';

-- Who asks whether a queue is the dead letter queue of others reads those alone, however many queues there are.
create index queue_by_dead_letter_queue on queue.queue (dead_letter_queue) where dead_letter_queue is not null;
comment on index queue.queue_by_dead_letter_queue is 'Finds the queues whose dead letter queue a queue is.';
