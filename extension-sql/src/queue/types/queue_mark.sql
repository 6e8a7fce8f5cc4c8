create type queue.queue_mark as (
  mark_id    bigint,      -- may be null
  taken_at   timestamptz, -- may be null
  ready_from timestamptz, -- may be null
  swept_at   timestamptz, -- may be null
  sweep_took interval,    -- may be null
  horizon    xid8         -- may be null
);

comment on type queue.queue_mark is 'How far the ready index of a queue has been read: a row of the table ready_mark.';
