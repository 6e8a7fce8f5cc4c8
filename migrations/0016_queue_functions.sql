-- The statements of a queue's hot path are in functions of its own from here on, which migrate() makes after the last
-- step: see queue._create_queue_functions().

-- A send to a group asks whether that is empty. It need not look at messages that are known to have gone. As with the
-- other marks, rows are only inserted, and the newest one is read first.
create table queue.id_mark (
  mark_id    bigint generated always as identity,
  least_id   bigint,
  last_id    bigint not null,
  horizon    xid8 not null,
  queue_name text not null,
  constraint id_mark_pkey primary key (queue_name, mark_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.id_mark is
  'From which id on a FIFO queue has messages: the newest row of a queue counts. Only speed depends on it; an empty table is correct too.';
comment on column queue.id_mark.mark_id is 'Order of the marks.';
comment on column queue.id_mark.least_id is 'No message is there, or ever will be, with a smaller id; null where nobody has looked yet.';
comment on column queue.id_mark.last_id is 'The greatest id of a message that had been received when the mark was made.';
comment on column queue.id_mark.horizon is 'The transaction that made the mark, which got its id after it had received.';
comment on column queue.id_mark.queue_name is 'The FIFO queue.';
