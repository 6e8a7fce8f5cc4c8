-- Lists of runs are in the order of their starts, which is not that of their ids: sessions draw those in blocks.

-- Replaced, so that the end of a run writes as many entries as before, and its start none.
drop index queue.workflow_run_ended;
create index workflow_run_ended on queue.workflow_run (workflow_name, started_at, run_id)
  where completed_at is not null;
drop index queue.workflow_run_unsuccessful;
create index workflow_run_unsuccessful on queue.workflow_run (workflow_name, started_at, run_id)
  where status in ('failed', 'cancelled');
drop index queue.workflow_run_paused;

-- Runs in flight are sorted by their continuations, which have to have the same time.
update queue.workflow_continuation as m
set enqueued_at = r.started_at
from queue.workflow_run as r
where r.run_id = m.msg_id
  and r.started_at <> m.enqueued_at;

-- Under a new name, by which the functions see that this migration was applied.
create index workflow_run_paused_by_start on queue.workflow_run (started_at, run_id)
  where paused_at is not null;
