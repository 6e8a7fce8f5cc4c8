-- Suspects: runs that may end their workers, and an index to receive them one at a time.

alter table queue.workflow_continuation
  add column suspect_at timestamptz,
  add column deaths bigint[];

comment on column queue.workflow_continuation.suspect_at is 'From when on a worker that executes no other suspect may receive the run: its last two leases, or more, expired without a commit. Until then visible_at is its deadline, or infinity. infinity: a worker executes it apart from other suspects; null: a death of its worker does not count.';
comment on column queue.workflow_continuation.deaths is 'Receipts of the workers in a row that executed the run apart from other suspects and have not been heard of since their leases expired; null: none.';

create index workflow_continuation_suspect on queue.workflow_continuation (queue_id, version, suspect_at)
  where suspect_at is not null;
