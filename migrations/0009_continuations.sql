-- The continuations of all workflows in one table, so that what works on them is planned once a session, and one
-- statement does for many workflows. Their queues, queue.q___wf_<name>, are views of it.

alter table queue.queue
  add column queue_id integer generated always as identity,
  add constraint queue_id_is_unique unique (queue_id);

comment on column queue.queue.queue_id is 'What rows of a table that several queues share know their queue by.';

create table queue.workflow_continuation (
  msg_id          bigint not null,
  visible_at      timestamptz not null,
  enqueued_at     timestamptz not null,
  receipt         bigint,
  settled_receipt bigint,
  queue_id        integer not null,
  version         integer not null,
  read_ct         integer not null default 0,
  message         jsonb,
  headers         jsonb,
  constraint workflow_continuation_pkey primary key (msg_id)
);

-- Rows live for seconds and are written thrice: room for the next version on the page, and vacuum as soon as it
-- pays. Statistics matter little, and an emptied table grows again.
alter table queue.workflow_continuation set (
  fillfactor = 70, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
  toast.vacuum_truncate = off, toast.autovacuum_vacuum_scale_factor = 0,
  toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0
);

comment on table queue.workflow_continuation is
  'One row a run in flight: the one message of its group, and the lock on the run. A row is ready when receipt is null and visible_at has passed, delayed when receipt is null and visible_at is to come (asleep, waiting, backing off), leased when it has a receipt and visible_at, the end of the lease, is to come, and receivable again after that.';
comment on column queue.workflow_continuation.msg_id is 'The run_id.';
comment on column queue.workflow_continuation.visible_at is 'From when on a worker may receive the run; infinity: when something happens to it.';
comment on column queue.workflow_continuation.enqueued_at is 'When the run was started.';
comment on column queue.workflow_continuation.receipt is 'Proof of the last delivery; null when no worker has the run.';
comment on column queue.workflow_continuation.settled_receipt is 'Receipt of the delivery that the last commit gave back, so that its repetition is recognised; null while the journal is empty, 0 where it is not, though no delivery was.';
comment on column queue.workflow_continuation.queue_id is 'The queue of the workflow.';
comment on column queue.workflow_continuation.version is 'Version of the workflow that the run stays with.';
comment on column queue.workflow_continuation.read_ct is 'Deliveries since the last progress.';
comment on column queue.workflow_continuation.message is 'What is transient: waits, retries, and the number of rows in the journal.';
comment on column queue.workflow_continuation.headers is 'What others want of the run: paused, cancelled.';

create index workflow_continuation_ready on queue.workflow_continuation (queue_id, version, visible_at);

do $queues$
declare
  v_queue record;
begin
  for v_queue in
    select q.queue_id, 'q_' || q.name as table_name
    from queue.queue as q
    where q.kind = 'workflow'
    order by q.name
  loop
    execute format($sql$
      insert into queue.workflow_continuation (
        msg_id, visible_at, enqueued_at, receipt, settled_receipt, queue_id, version, read_ct, message, headers
      )
      select m.msg_id, m.visible_at, m.enqueued_at, m.receipt, m.settled_receipt, %2$s, m.version, m.read_ct,
        m.message, m.headers
      from queue.%1$I as m
    $sql$, v_queue.table_name, v_queue.queue_id);
    execute format('drop table queue.%I', v_queue.table_name);
    execute format($sql$
      create view queue.%1$I as
        select m.msg_id, m.visible_at, m.enqueued_at, m.receipt, m.settled_receipt, m.read_ct, m.version, m.message,
          m.headers
        from queue.workflow_continuation as m
        where m.queue_id = %2$s
    $sql$, v_queue.table_name, v_queue.queue_id);
  end loop;
end
$queues$;
