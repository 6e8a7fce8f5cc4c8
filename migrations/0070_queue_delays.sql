-- Default delays of queues.

alter table queue.queue
  add column delay_seconds integer not null default 0,
  add constraint delay_is_not_negative check (delay_seconds >= 0);

comment on column queue.queue.delay_seconds is 'How long a message stays invisible after it was sent, if its sender sets no delay.';
