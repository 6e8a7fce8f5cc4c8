-- The statements of a queue's hot path are in functions of its own from here on, which migrate() makes after the last
-- step: see queue._create_queue_functions().

-- Who asks whether a queue is the dead letter queue of others reads those alone, however many queues there are.
create index queue_by_dead_letter_queue on queue.queue (dead_letter_queue) where dead_letter_queue is not null;
comment on index queue.queue_by_dead_letter_queue is 'Finds the queues whose dead letter queue a queue is.';
