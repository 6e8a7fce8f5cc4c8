-- Scopes of deduplication ids.

alter table queue.queue
  add column deduplication_scope text not null default 'queue',
  add constraint deduplication_scope_is_known check (deduplication_scope in ('queue', 'group'));

comment on column queue.queue.deduplication_scope is 'Within what a deduplication id counts in a FIFO queue: queue, or group for the message group.';
comment on column queue.deduplication.deduplication_id is 'As a sender gave it; in a queue whose ids count within a group, made of the group and the id by _deduplication_key().';
