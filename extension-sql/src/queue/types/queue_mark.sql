create type queue.queue_mark as (
  mark_id    bigint,
  taken_at   timestamptz,
  ready_from timestamptz,
  swept_at   timestamptz,
  sweep_took interval,
  horizon    xid8
);

comment on type queue.queue_mark is 'How far the ready index of a queue has been read: a row of the table ready_mark.';
