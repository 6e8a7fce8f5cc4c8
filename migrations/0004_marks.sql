-- How far the indexes of each queue have been read, so that receives skip dead entries.
--
-- While an old snapshot is held (a long query, a dump, a forgotten transaction), vacuum removes nothing, and the
-- entries of messages that have gone pile up where a receive, or a send to a group, begins to read. Rows are only
-- inserted, and the newest one is read first, since the versions of an updated row would pile up all the same.

create table queue.ready_mark (
  mark_id    bigint generated always as identity,
  taken_at   timestamptz not null,
  ready_from timestamptz not null,
  swept_at   timestamptz not null,
  sweep_took interval not null,
  horizon    xid8 not null,
  part       integer not null,
  queue_name text not null,
  constraint ready_mark_pkey primary key (queue_name, part, mark_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.ready_mark is
  'Where a receive begins to read the ready index: the newest row of a queue counts. Only speed depends on it; an empty table is correct too.';
comment on column queue.ready_mark.mark_id is 'Order of the marks.';
comment on column queue.ready_mark.taken_at is 'When the mark was made.';
comment on column queue.ready_mark.ready_from is 'No message is, or will ever be, visible from an earlier time on.';
comment on column queue.ready_mark.swept_at is 'When the index was last read from its beginning.';
comment on column queue.ready_mark.sweep_took is 'How long that took.';
comment on column queue.ready_mark.horizon is 'The transaction that made the mark, which got its id after taken_at was read.';
comment on column queue.ready_mark.part is 'Version of the workflow; 0 in other queues.';
comment on column queue.ready_mark.queue_name is 'The queue.';

create table queue.group_mark (
  mark_id          bigint generated always as identity,
  taken_at         timestamptz not null,
  empty_below      bigint not null,
  queue_name       text not null,
  message_group_id text not null,
  constraint group_mark_pkey primary key (queue_name, message_group_id, mark_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.group_mark is
  'Which messages of a group are known to have gone: the newest row of a group counts. Only speed depends on it; an empty table is correct too.';
comment on column queue.group_mark.mark_id is 'Order of the marks.';
comment on column queue.group_mark.taken_at is 'When the mark was made; old ones are swept now and then.';
comment on column queue.group_mark.empty_below is 'Every message of the group with a smaller id has gone.';
comment on column queue.group_mark.queue_name is 'The FIFO queue.';
comment on column queue.group_mark.message_group_id is 'The message group.';

-- FIFO queues that are there: one index for both questions, who is the newest of a group and who comes next. No
-- unique index, since each insertion into one reads all dead entries of its key; the lock on the group is the guard.
do $queues$
declare
  v_name text;
begin
  for v_name in
    select 'q_' || q.name from queue.queue as q where q.kind = 'fifo' order by q.name
  loop
    execute format('create index %I on queue.%I (message_group_id, msg_id)', 'group_of_' || v_name, v_name);
    execute format('drop index queue.%I', 'head_of_' || v_name);
    execute format('drop index queue.%I', 'next_of_' || v_name);
  end loop;
end
$queues$;
