-- Functions per queue, which contain the statements of its hot path. migrate() creates them after the last step: see queue._create_queue_functions().

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

-- FIFO queues that are there: heads, which change all the time, and messages behind them, which do not, in indexes of
-- their own, so that what happens to a head does not touch an index as large as the backlog.
do $queues$
declare
  v_name text;
begin
  for v_name in
    select 'q_' || q.name from queue.queue as q where q.kind = 'fifo' order by q.name
  loop
    execute format('create index %I on queue.%I (message_group_id, msg_id) where head', 'heads_of_' || v_name, v_name);
    execute format('create index %I on queue.%I (message_group_id, msg_id) where not head', 'waiting_of_' || v_name, v_name);
    execute format('drop index queue.%I', 'group_of_' || v_name);
  end loop;
end
$queues$;
