-- Retention and privileges of single queues. The four
-- roles of Oxbow may use all queues, each in its way, and need no row here.

alter table queue.queue
  add column retention_seconds integer,
  add constraint retention_is_positive check (retention_seconds > 0);

comment on column queue.queue.retention_seconds is 'After how many seconds a message that nobody has received is dropped; null: never.';

create table queue.queue_grant (
  granted_at timestamptz not null,
  queue_name text not null,
  role_name  name not null,
  privilege  text not null,
  constraint queue_grant_pkey primary key (queue_name, role_name, privilege),
  constraint privilege_is_known check (privilege in ('send', 'receive'))
);

comment on table queue.queue_grant is
  'One row for each thing that a role may do with one queue, from grant_queue() to revoke_queue(). A role that was renamed or dropped has no rights by it.';
comment on column queue.queue_grant.granted_at is 'When grant_queue() was called.';
comment on column queue.queue_grant.queue_name is 'The queue.';
comment on column queue.queue_grant.role_name is 'The role; its members have the right too.';
comment on column queue.queue_grant.privilege is 'send, or receive (which is to acknowledge, too).';
